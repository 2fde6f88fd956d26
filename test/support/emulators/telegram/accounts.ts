import type { TelegramUser } from "@gramio/types/objects";
import { Conversation, type PressedButton } from "./conversation.ts";
import { changeMember } from "./membership.ts";
import type { MessageRef } from "./place.ts";
import type { BotRecord } from "./records.ts";
import type { World } from "./world.ts";

/** A bot account: what a test reads about it. Its behaviour is the program under test. */
export class Bot {
  readonly record: BotRecord;

  constructor(record: BotRecord) {
    this.record = record;
  }

  get id(): number {
    return this.record.user.id;
  }

  get token(): string {
    return this.record.token;
  }

  get username(): string {
    return this.record.user.username ?? "";
  }

  get user(): TelegramUser {
    return this.record.user;
  }

  /** Updates not confirmed yet. */
  get pendingUpdates(): number {
    return this.record.updates.pending.length;
  }

  /** Whether a getUpdates request is open right now. */
  get isPolled(): boolean {
    return this.record.updates.isPolled;
  }

  /** The commands of a scope (default scope and language when left out); undefined when never set. */
  commands(scope: object = { type: "default" }, language = ""): { command: string; description: string }[] | undefined {
    const sorted = Object.fromEntries(Object.entries(scope).sort(([a], [b]) => a.localeCompare(b)));
    return this.record.commands.get(`${JSON.stringify(sorted)}|${language}`);
  }
}

/** A person with a Telegram account. */
export class Person {
  readonly user: TelegramUser;
  readonly #world: World;

  constructor(world: World, user: TelegramUser) {
    this.#world = world;
    this.user = user;
  }

  get id(): number {
    return this.user.id;
  }

  /** The private chat with a bot, as if this person had pressed Start before. */
  dm(bot: Bot): Conversation {
    return new Conversation(this.#world, this.#world.privateChat(this.user, bot.record), null, this);
  }

  /** Blocks a bot: it hears `my_chat_member`, its sends are refused with 403 from now on. */
  blocks(bot: Bot): void {
    this.#setBlocked(bot, true);
  }

  unblocks(bot: Bot): void {
    this.#setBlocked(bot, false);
  }

  #setBlocked(bot: Bot, blocked: boolean): void {
    const chat = this.#world.privateChat(this.user, bot.record);
    const status = blocked ? "kicked" : "member";
    changeMember(this.#world, chat, this.user, { user: bot.user, status });
    chat.blocked = blocked;
  }

  /** Presses a button under a bot's message, wherever that is. */
  presses(message: MessageRef & { chat: { id: number }; from?: { id: number } }, button: string): PressedButton {
    const chat = this.#world.chatById(message.chat.id, message.from?.id);
    if (chat === undefined) throw new Error(`there is no chat ${message.chat.id}`);
    return new Conversation(this.#world, chat, null, this).presses(message, button);
  }
}
