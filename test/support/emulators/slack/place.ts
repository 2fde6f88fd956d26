import type { WaitOptions } from "../signals.ts";
import { visibleMessages } from "./messages.ts";
import type { AssistantAction, ConversationRecord, EphemeralRecord, SlackMessage, StoredMessage } from "./records.ts";
import type { World } from "./world.ts";

/** A message as a client library or this emulator returned it; its ts is enough. */
export type MessageRef = { ts: string; text?: string };

export type Wanted = string | RegExp | ((message: SlackMessage) => boolean);

export interface BotSaysOptions extends WaitOptions {
  /** In this thread. Default: the place's own, outside of threads for a channel. */
  thread?: MessageRef | string;
  /** Only messages after this one. Default: after the last one `botSays` returned for this place. */
  after?: MessageRef;
  /** Skip messages until one whose current text equals, matches or satisfies this. */
  matching?: Wanted;
  /** Only this app's messages. */
  by?: { id: string };
}

function fits(message: SlackMessage, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === "function") return wanted(message);
  return typeof wanted === "string" ? message.text === wanted : wanted.test(message.text);
}

export function tsOf(message: MessageRef | string): string {
  return typeof message === "string" ? message : message.ts;
}

/** Somewhere people read: a conversation, or one thread of it. What is seen here, and waiting for what apps do here. */
export class Place {
  protected readonly world: World;
  readonly conversation: ConversationRecord;
  /** The root's ts of the thread; null: outside of threads. */
  readonly threadTs: string | null;

  constructor(world: World, conversation: ConversationRecord, threadTs: string | null) {
    this.world = world;
    this.conversation = conversation;
    this.threadTs = threadTs;
  }

  /** The conversation's id. */
  get id(): string {
    return this.conversation.id;
  }

  /** What people see here now, oldest first; a thread begins with its root. */
  messages(): SlackMessage[] {
    return visibleMessages(this.conversation, this.threadTs).map((stored) => stored.message);
  }

  /** The texts of `messages()`. */
  texts(): string[] {
    return this.messages().map((message) => message.text);
  }

  /** The present form of a message; undefined when it was deleted. */
  now(message: MessageRef): SlackMessage | undefined {
    const stored = this.stored(message);
    return stored.deleted ? undefined : stored.message;
  }

  /** Everything known of a message: earlier forms, author. */
  stored(message: MessageRef | string): StoredMessage {
    const stored = this.conversation.messages.get(tsOf(message));
    if (stored === undefined) throw new Error(`there is no message ${tsOf(message)} in ${this.id}`);
    return stored;
  }

  /** The next message of an app here that was not read yet. Waits; fails after `within` milliseconds. */
  async botSays(options: BotSaysOptions = {}): Promise<SlackMessage> {
    const thread = options.thread === undefined ? this.threadTs : tsOf(options.thread);
    const { readUpTo } = this.conversation;
    const from = options.after === undefined ? (readUpTo.get(thread) ?? 0) : this.stored(options.after).seq;
    const stored = await this.world.signals.until(
      () =>
        visibleMessages(this.conversation, thread).find(
          (entry) =>
            entry.seq > from &&
            entry.appId !== null &&
            entry.message.ts !== thread &&
            (options.by === undefined || entry.appId === options.by.id) &&
            fits(entry.message, options.matching),
        ),
      { what: `an app's message in ${this.#name(thread)}`, ...options },
    );
    readUpTo.set(thread, Math.max(stored.seq, readUpTo.get(thread) ?? 0));
    // A copy: what the app changes later is seen by `botEdits` and `now`.
    return structuredClone(stored.message);
  }

  /** Waits until a message's present form is another one than the given, and as wanted. */
  botEdits(message: MessageRef, options: WaitOptions & { matching?: Wanted } = {}): Promise<SlackMessage> {
    const stored = this.stored(message);
    return this.world.signals.until(
      () =>
        stored.message.text !== message.text && fits(stored.message, options.matching)
          ? structuredClone(stored.message)
          : undefined,
      { what: `an edit of message ${message.ts} in ${this.#name(this.threadTs)}`, ...options },
    );
  }

  /** Waits until a message is deleted. */
  async botDeletes(message: MessageRef, options: WaitOptions = {}): Promise<void> {
    const stored = this.stored(message);
    await this.world.signals.until(() => (stored.deleted ? true : undefined), {
      what: `message ${message.ts} in ${this.#name(this.threadTs)} to be deleted`,
      ...options,
    });
  }

  /** Waits until an app has reacted to a message; the emoji's name. */
  botReacts(message: MessageRef, options: WaitOptions & { matching?: string } = {}): Promise<string> {
    const stored = this.stored(message);
    const isApp = (id: string): boolean => this.world.users.get(id)?.isBot === true;
    return this.world.signals.until(
      () =>
        stored.message.reactions?.find(
          (reaction) =>
            reaction.users.some(isApp) && (options.matching === undefined || reaction.name === options.matching),
        )?.name,
      { what: `a reaction in ${this.#name(this.threadTs)}`, ...options },
    );
  }

  /** Waits for an assistant status ("is thinking…") here; `after` a message, or any so far. An empty text clears it. */
  botTypes(options: WaitOptions & { after?: MessageRef } = {}): Promise<AssistantAction> {
    const from = options.after === undefined ? 0 : this.stored(options.after).seq;
    return this.world.signals.until(() => this.actions("status").find((action) => action.seq > from), {
      what: `an assistant status in ${this.#name(this.threadTs)}`,
      ...options,
    });
  }

  /** Statuses, titles and prompts here, oldest first; of a channel those of all its threads. */
  actions(kind?: AssistantAction["kind"]): AssistantAction[] {
    return this.conversation.actions.filter(
      (action) =>
        (this.threadTs === null || action.threadTs === this.threadTs) && (kind === undefined || action.kind === kind),
    );
  }

  /** Messages only one person saw here, oldest first. */
  ephemerals(): EphemeralRecord[] {
    return this.conversation.ephemerals;
  }

  #name(thread: string | null): string {
    return `"${this.conversation.name}" (${this.id}${thread === null ? "" : `, thread ${thread}`})`;
  }
}
