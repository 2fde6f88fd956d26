import type { UseOptions } from "./command-use.ts";
import { Conversation } from "./conversation.ts";
import type { MessageRef } from "./place.ts";
import type { BotRecord } from "./records.ts";
import type { UsedInteraction } from "./used-interaction.ts";
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

  /** Uses a slash command in some channel: `uses("/status", {at: channel, options})`. */
  uses(command: string, { at, ...use }: UseOptions & { at: { id: string } }): UsedInteraction {
    return this.#in(at.id).uses(command, use);
  }

  /** Is writing an option of a slash command in some channel. */
  autocompletes(
    command: string,
    focused: string,
    { at, ...use }: UseOptions & { at: { id: string } },
  ): UsedInteraction {
    return this.#in(at.id).autocompletes(command, focused, use);
  }

  /** Presses a button under a bot's message, wherever that is. */
  presses(message: MessageRef & { channel_id: string }, button: string): UsedInteraction {
    return this.#in(message.channel_id).presses(message, button);
  }

  #in(channelId: string): Conversation {
    const channel = this.#world.channels.get(channelId);
    if (channel === undefined) throw new Error(`there is no channel ${channelId}`);
    return new Conversation(this.#world, channel, this);
  }
}
