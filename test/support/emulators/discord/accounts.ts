import { Conversation } from "./conversation.ts";
import type { BotRecord } from "./records.ts";
import type { APIApplicationCommand, APIUser } from "./wire-types.ts";
import type { World } from "./world.ts";

/** A bot account with its application: what a test reads about it. Its behaviour is the program under test. */
export class Bot {
  readonly record: BotRecord;

  constructor(record: BotRecord) {
    this.record = record;
  }

  /** The user's id, and the application's. */
  get id(): string {
    return this.record.user.id;
  }

  get token(): string {
    return this.record.token;
  }

  get username(): string {
    return this.record.user.username;
  }

  get user(): APIUser {
    return this.record.user;
  }

  /** Whether a gateway session is connected right now. */
  get isConnected(): boolean {
    return [...this.record.sessions].some((session) => session.wire !== null);
  }

  /** How often it has identified at the gateway. */
  get identifies(): number {
    return this.record.identifies;
  }

  /** The commands of a scope: a guild's id, or the global ones; undefined when never set. */
  commands(scope = "global"): APIApplicationCommand[] | undefined {
    return this.record.commands.get(scope);
  }
}

/** A person with a Discord account. */
export class Person {
  readonly user: APIUser;
  readonly #world: World;

  constructor(world: World, user: APIUser) {
    this.#world = world;
    this.user = user;
  }

  get id(): string {
    return this.user.id;
  }

  /** The direct messages with a bot. */
  dm(bot: Bot): Conversation {
    return new Conversation(this.#world, this.#world.dmChannel(this.user, bot.record), this);
  }

  /** Blocks a bot: its messages are refused with 50007 from now on. */
  blocks(bot: Bot): void {
    this.#setBlocked(bot, true);
  }

  unblocks(bot: Bot): void {
    this.#setBlocked(bot, false);
  }

  #setBlocked(bot: Bot, blocked: boolean): void {
    const { dm } = this.#world.dmChannel(this.user, bot.record);
    if (dm !== null) dm.blocked = blocked;
  }
}
