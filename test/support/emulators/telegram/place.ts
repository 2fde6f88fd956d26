import type { TelegramMessage } from "@gramio/types/objects";
import type { WaitOptions } from "../signals.ts";
import { visibleMessages } from "./messages.ts";
import type { ChatAction, ChatRecord, Draft, StoredMessage } from "./records.ts";
import type { World } from "./world.ts";

/** A message as a client library or this emulator returned it. */
export type MessageRef = Pick<TelegramMessage, "message_id" | "text" | "caption" | "edit_date">;

export type Wanted = string | RegExp | ((message: TelegramMessage) => boolean);

export interface BotSaysOptions extends WaitOptions {
  /** Only messages after this one. Default: after the last one `botSays` returned for this place. */
  after?: MessageRef;
  /** Skip messages until one whose current text equals, matches or satisfies this. */
  matching?: Wanted;
  /** Only this bot's messages. */
  by?: { id: number };
}

export function textOf(message: Pick<MessageRef, "text" | "caption">): string {
  return message.text ?? message.caption ?? "";
}

function fits(message: TelegramMessage, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === "function") return wanted(message);
  const text = textOf(message);
  return typeof wanted === "string" ? text === wanted : wanted.test(text);
}

/** Somewhere people read: a chat, or one topic of it. What is seen here, and waiting for what bots do here. */
export class Place {
  protected readonly world: World;
  readonly chat: ChatRecord;
  /** Thread id of the topic; null: outside of topics (General). */
  readonly topicId: number | null;

  constructor(world: World, chat: ChatRecord, topicId: number | null) {
    this.world = world;
    this.chat = chat;
    this.topicId = topicId;
  }

  /** The chat's id, as bots see it. */
  get id(): number {
    return this.chat.chat.id;
  }

  #here(stored: StoredMessage): boolean {
    return stored.topicId === this.topicId;
  }

  #isByBot(stored: StoredMessage): boolean {
    const { from } = stored.message;
    return from === undefined ? this.world.botById(stored.authorId) !== undefined : from.is_bot;
  }

  /** What people see here now, oldest first. */
  messages(): TelegramMessage[] {
    return visibleMessages(this.chat, this.topicId).map((stored) => stored.message);
  }

  /** The texts and captions of `messages()`. */
  texts(): string[] {
    return this.messages().map(textOf);
  }

  /** The present form of a message; undefined when it was deleted. */
  now(message: MessageRef): TelegramMessage | undefined {
    const stored = this.stored(message);
    return stored.deleted ? undefined : stored.message;
  }

  /** The stored record of a message: its place in time, earlier forms, reactions. */
  stored(message: MessageRef | number): StoredMessage {
    const id = typeof message === "number" ? message : message.message_id;
    const stored = this.chat.messages.get(id);
    if (stored === undefined) throw new Error(`there is no message ${id} in chat ${this.id}`);
    return stored;
  }

  /** The next message of a bot here that was not read yet. Waits; fails after `within` (15,000 ms). */
  async botSays(options: BotSaysOptions = {}): Promise<TelegramMessage> {
    const { readUpTo } = this.chat;
    const from = options.after === undefined ? (readUpTo.get(this.topicId) ?? 0) : this.stored(options.after).seq;
    const stored = await this.world.signals.until(
      () =>
        [...this.chat.messages.values()].find(
          (m) =>
            m.seq > from &&
            !m.deleted &&
            this.#here(m) &&
            this.#isByBot(m) &&
            (options.by === undefined || m.authorId === options.by.id) &&
            fits(m.message, options.matching),
        ),
      { what: `a bot's message in ${this.#name()}`, ...options },
    );
    readUpTo.set(this.topicId, Math.max(stored.seq, readUpTo.get(this.topicId) ?? 0));
    return stored.message;
  }

  /** Waits until a message's present form is another one than the given, and as wanted. */
  botEdits(message: MessageRef, options: WaitOptions & { matching?: Wanted } = {}): Promise<TelegramMessage> {
    const stored = this.stored(message);
    const changed = (now: TelegramMessage): boolean =>
      textOf(now) !== textOf(message) || now.edit_date !== message.edit_date;
    return this.world.signals.until(
      () => (changed(stored.message) && fits(stored.message, options.matching) ? stored.message : undefined),
      { what: `an edit of message ${message.message_id} in ${this.#name()}`, ...options },
    );
  }

  /** Waits until a message is deleted. */
  async botDeletes(message: MessageRef, options: WaitOptions = {}): Promise<void> {
    const stored = this.stored(message);
    await this.world.signals.until(() => (stored.deleted ? true : undefined), {
      what: `message ${message.message_id} in ${this.#name()} to be deleted`,
      ...options,
    });
  }

  /** Waits until a bot has reacted to a message; its emoji. */
  botReacts(message: MessageRef, options: WaitOptions & { matching?: string } = {}): Promise<string> {
    const stored = this.stored(message);
    const emoji = (): string | undefined => {
      for (const [author, reactions] of stored.reactions) {
        if (this.world.botById(author) === undefined) continue;
        const shown = reactions.flatMap((r) => (r.type === "emoji" ? [r.emoji] : []));
        const found = shown.find((e) => options.matching === undefined || e === options.matching);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return this.world.signals.until(emoji, { what: `a reaction in ${this.#name()}`, ...options });
  }

  /** Waits for a chat action ("typing") here; `after` a message, or any so far. */
  botTypes(options: WaitOptions & { after?: MessageRef } = {}): Promise<ChatAction> {
    const from = options.after === undefined ? 0 : this.stored(options.after).seq;
    return this.world.signals.until(() => this.actions().find((action) => action.seq > from), {
      what: `a chat action in ${this.#name()}`,
      ...options,
    });
  }

  /** Chat actions here, oldest first. */
  actions(): ChatAction[] {
    return this.chat.actions.filter((action) => action.threadId === this.topicId);
  }

  /** Streamed drafts here, oldest first. */
  drafts(): Draft[] {
    return this.chat.drafts.filter((draft) => draft.threadId === this.topicId);
  }

  #name(): string {
    const { title, first_name } = this.chat.chat;
    return `"${title ?? first_name ?? ""}" (${this.id}${this.topicId === null ? "" : `, topic ${this.topicId}`})`;
  }
}
