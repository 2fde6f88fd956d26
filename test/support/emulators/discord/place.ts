import type { WaitOptions } from "../signals.ts";
import { visibleMessages } from "./messages.ts";
import type { ChannelRecord, StoredMessage, Typing } from "./records.ts";
import type { APIMessage } from "./wire-types.ts";
import type { World } from "./world.ts";

/** A message as a client library or this emulator returned it. */
export interface MessageRef {
  id: string;
  content?: string;
  edited_timestamp?: string | null;
}

export type Wanted = string | RegExp | ((message: APIMessage) => boolean);

export interface BotSaysOptions extends WaitOptions {
  /** Only messages after this one. Default: after the last one `botSays` returned for this place. */
  after?: MessageRef;
  /** Skip messages until one whose current text equals, matches or satisfies this. */
  matching?: Wanted;
  /** Only this bot's messages. */
  by?: { id: string };
}

function fits(message: APIMessage, wanted: Wanted | undefined): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === "function") return wanted(message);
  return typeof wanted === "string" ? message.content === wanted : wanted.test(message.content);
}

/** Somewhere people read: a channel, a thread or direct messages. What is seen here, and waiting for what bots do. */
export class Place {
  protected readonly world: World;
  readonly channel: ChannelRecord;
  /** Who looks: ephemeral messages for this person are seen too. */
  protected readonly viewerId: string | null;

  constructor(world: World, channel: ChannelRecord, viewerId: string | null = null) {
    this.world = world;
    this.channel = channel;
    this.viewerId = viewerId;
  }

  /** The channel's (or thread's) id. */
  get id(): string {
    return this.channel.id;
  }

  /** The guild's id; null: direct messages. */
  get guildId(): string | null {
    return this.channel.guildId;
  }

  #isByBot(stored: StoredMessage): boolean {
    return stored.message.author.bot === true;
  }

  /** What people see here now, oldest first. */
  messages(): APIMessage[] {
    return visibleMessages(this.channel, this.viewerId).map((stored) => stored.message);
  }

  /** The texts of `messages()`. */
  texts(): string[] {
    return this.messages().map((message) => message.content);
  }

  /** The present form of a message; undefined when it was deleted. */
  now(message: MessageRef): APIMessage | undefined {
    const stored = this.stored(message);
    return stored.deleted ? undefined : stored.message;
  }

  /** The stored record of a message: its place in time, earlier forms, reactions. */
  stored(message: MessageRef | string): StoredMessage {
    const id = typeof message === "string" ? message : message.id;
    const stored = this.channel.messages.get(id);
    if (stored === undefined) throw new Error(`there is no message ${id} in channel ${this.id}`);
    return stored;
  }

  /** The next message of a bot here that was not read yet (no system messages). Waits; fails after `within` (5000 ms). */
  async botSays(options: BotSaysOptions = {}): Promise<APIMessage> {
    const { readUpTo } = this.channel;
    const from = options.after === undefined ? (readUpTo.get(this.viewerId) ?? 0) : this.stored(options.after).seq;
    const stored = await this.world.signals.until(
      () =>
        visibleMessages(this.channel, this.viewerId).find(
          (m) =>
            m.seq > from &&
            this.#isByBot(m) &&
            m.message.type !== 18 &&
            m.message.type !== 21 &&
            (options.by === undefined || m.authorId === options.by.id) &&
            fits(m.message, options.matching),
        ),
      { what: `a bot's message in ${this.#name()}`, ...options },
    );
    readUpTo.set(this.viewerId, Math.max(stored.seq, readUpTo.get(this.viewerId) ?? 0));
    return stored.message;
  }

  /** Waits until a message's present form is another one than the given, and as wanted. */
  botEdits(message: MessageRef, options: WaitOptions & { matching?: Wanted } = {}): Promise<APIMessage> {
    const stored = this.stored(message);
    const changed = (now: APIMessage): boolean =>
      now.content !== (message.content ?? "") || now.edited_timestamp !== (message.edited_timestamp ?? null);
    return this.world.signals.until(
      () => (changed(stored.message) && fits(stored.message, options.matching) ? stored.message : undefined),
      { what: `an edit of message ${message.id} in ${this.#name()}`, ...options },
    );
  }

  /** Waits until a message is deleted. */
  async botDeletes(message: MessageRef, options: WaitOptions = {}): Promise<void> {
    const stored = this.stored(message);
    await this.world.signals.until(() => (stored.deleted ? true : undefined), {
      what: `message ${message.id} in ${this.#name()} to be deleted`,
      ...options,
    });
  }

  /** Waits until a bot has reacted to a message; its emoji. */
  botReacts(message: MessageRef, options: WaitOptions & { matching?: string } = {}): Promise<string> {
    const stored = this.stored(message);
    const emoji = (): string | undefined => {
      for (const [shown, users] of stored.reactions) {
        if (options.matching !== undefined && shown !== options.matching) continue;
        if ([...users].some((id) => this.world.botById(id) !== undefined)) return shown;
      }
      return undefined;
    };
    return this.world.signals.until(emoji, { what: `a reaction in ${this.#name()}`, ...options });
  }

  /** Waits for a bot's typing indicator here; `after` a message, or any so far. */
  botTypes(options: WaitOptions & { after?: MessageRef } = {}): Promise<Typing> {
    const from = options.after === undefined ? 0 : this.stored(options.after).seq;
    return this.world.signals.until(() => this.actions().find((action) => action.seq > from), {
      what: `a typing indicator in ${this.#name()}`,
      ...options,
    });
  }

  /** Typing indicators of bots here, oldest first. */
  actions(): Typing[] {
    return this.channel.typing.filter((typing) => this.world.botById(typing.userId) !== undefined);
  }

  #name(): string {
    const { dm, name, thread } = this.channel;
    if (dm !== null) return `direct messages with ${dm.user.username} (${this.id})`;
    return `${thread === null ? "#" : "thread "}${name} (${this.id})`;
  }
}
