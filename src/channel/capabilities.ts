import type { RenderedPiece, Route } from "../core/delivery/delivery.ts";
import type { InboundAttachment, InboundEvent } from "../core/message/inbound-event.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import type { MdNode } from "../core/text/markdown.ts";

/** The suggestions for an argument while a person types it (CM-12); `thread`: the place's live threads, to choose one (CM-2). */
export type SuggestionKind = "session" | "model" | "sub-agent" | "thread";

/** People read `label`; the argument becomes `value`. */
export interface Suggestion {
  readonly label: string;
  readonly value: string;
}

/** A command as a platform's own menu shows it (CM-2). Derived from the registry; names and help need no second source. */
export interface NativeCommand {
  readonly name: string;
  /** For admins or owners: its answers are for the asking person only, where the platform can (CM-3). */
  readonly restricted?: true;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly choices: readonly string[];
    /** The host suggests values while a person types; any other text is accepted too. */
    readonly suggests?: SuggestionKind;
  }[];
}

/** Renders the one Markdown tree for a platform, purely (DL-7). */
export interface Renderer {
  /** A person it mentions is notified when a message is posted, and not by an edit (DL-8). */
  readonly notifies?: true;
  /** Longest message in the unit that `render(...).length` counts (DL-6). */
  readonly maxLength: number;
  render(nodes: readonly MdNode[]): RenderedPiece & { readonly length: number };
}

/** A message that can be reacted to, by the platform's own id. */
export interface ReactionPlace {
  readonly route: Route;
  readonly messageId: string;
}

/** Progress of running sub-agents and tools, for platforms that can show more than text. */
export interface TurnProgress {
  readonly route: Route;
  readonly sessionKey: string;
  readonly state: "waiting" | "running" | "ended";
  /** The tools running now and the sub-agents of the session, as short lines. */
  readonly lines: readonly string[];
}

/** One limit of a platform: `burst` at once, then one every `intervalMs` (DL-5). */
export interface PacingBucket {
  /** Unique within the account; `sharesLimitWith` of a SendOutcome names the same buckets. */
  readonly name: string;
  readonly intervalMs: number;
  readonly burst: number;
}

/** The platform's own limit was met (a 429): what shares it waits that long, the conversation alone when null (DL-4). */
export interface LimitMet {
  readonly afterMs: number;
  readonly sharesLimitWith: string | null;
}

/** What a platform can do beyond sending text. The core asks here and never names a platform (spec 08). */
export interface Capabilities {
  /** A message can be changed after it was sent: streaming previews (TN-11). `minIntervalMs`: the platform's safe rate. */
  readonly edits?: {
    minIntervalMs(route: Route): number;
    /**
     * A preview edit between rows; its failure never matters, except that a rate limit it met applies to the final text as well,
     * which travels through `send`.
     */
    preview(route: Route, messageId: string, piece: RenderedPiece, signal: AbortSignal): Promise<LimitMet | null>;
  };
  readonly typing?: {
    /** How often it must be renewed to stay visible. */
    readonly renewMs: number;
    start(route: Route): Promise<void>;
    stop?(route: Route): Promise<void>;
  };
  readonly nativeCommands?: {
    /** Registers the whole set at the platform, in the background, only when it changed (CH-6). */
    register(commands: readonly NativeCommand[]): Promise<void>;
  };
  readonly files?: {
    /** Reads an attachment of an inbound event with the platform's credentials (IN-12). */
    fetch(attachment: InboundAttachment, limits: { maxBytes: number; signal: AbortSignal }): Promise<FetchedFile>;
  };
  /**
   * Reads the first message of the route's thread, for a session that begins in it (FC-206). null: there is none to be read.
   * Rejects when the platform does not answer.
   */
  readonly threadRoot?: (route: Route, signal: AbortSignal) => Promise<ThreadRoot | null>;
  /** A thread can be made for a sub-agent, and messages in it come with its route (TB-1). Made by a `thread` delivery. */
  readonly threads?: {
    /**
     * Whether a `thread` delivery for this route can succeed, asked before anything is spawned. From inside a thread: whether
     * a sibling can be made. May ask the platform; never throws: what cannot be found out is a reason.
     */
    canCreate(route: Route, signal: AbortSignal): Promise<ThreadAbility>;
    /** How people get from elsewhere in the same space to it, in the platform's own form; null: there are no links. */
    link(thread: Route, title: string): RenderedPiece | null;
  };
  /** The bot's reactions on a person's message. `emoji` as the descriptor reads it. Both calls may be repeated. */
  readonly reactions?: {
    put(place: ReactionPlace, emoji: string): Promise<void>;
    remove(place: ReactionPlace, emoji: string): Promise<void>;
  };
  readonly progress?: { show(progress: TurnProgress): void };
  /**
   * The buckets a message to this route takes from, so that sends wait before the platform's limits bite (DL-5). With
   * `pacing: false` in the configuration nothing waits for tokens; a platform's 429 still holds the bucket it names.
   */
  readonly pacing?: { buckets(route: Route): readonly PacingBucket[] };
  /**
   * A repeated send of the same delivery key shows one message and makes one thread (DL-3, TB-7): by the platform's own
   * nonce, or because `send` looks for the first one (metadata, history) when `attempts` is above 1.
   */
  readonly idempotentSend?: true;
}

/** The message that a thread hangs on. */
export type ThreadRoot = Pick<InboundEvent, "sender" | "text" | "quotes" | "attachments">;

export type FetchedFile =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly mime: string | null; readonly name: string | null }
  | { readonly ok: false; readonly reason: string };

/** `reason` is for the operator's log; people and agents read one fixed sentence (TB-1). */
export type ThreadAbility = { readonly can: true } | { readonly can: false; readonly reason: string };

/** A message of a platform whose messages Switchyard itself keeps (the web page). */
export interface LoggedMessage {
  readonly id: number;
  /** Unique in the account: a repeated append with the same key changes nothing and returns the first message. */
  readonly key: string;
  readonly route: Route;
  readonly author: "person" | "agent";
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
  readonly createdAt: number;
  readonly editedAt: number | null;
}

export interface LoggedConversation {
  readonly to: string;
  readonly threadId: string | null;
  readonly title: string;
  readonly lastMessageAt: number;
}

export type NewLoggedMessage = Pick<LoggedMessage, "key" | "route" | "author" | "html" | "text" | "attachments">;

/** The message store of an embedded platform, kept by the bridge's store. Every call is committed when it resolves. */
export interface ConversationLog {
  /** null: the conversation was never opened. */
  append(message: NewLoggedMessage): Promise<{ readonly message: LoggedMessage; readonly isNew: boolean } | null>;
  /** null: there is no such message any more. */
  edit(id: number, content: Pick<LoggedMessage, "html" | "text">): Promise<LoggedMessage | null>;
  remove(id: number): Promise<void>;
  get(id: number): Promise<LoggedMessage | null>;
  /** The newest `limit` messages of one conversation, oldest first; `before`: only those with a smaller id. */
  tail(route: Route, limit: number, before?: number): Promise<readonly LoggedMessage[]>;
  /** Opening twice keeps the first title. */
  open(conversation: { readonly to: string; readonly threadId: string | null; readonly title: string }): Promise<void>;
  /** False: there is no such conversation. */
  rename(conversation: {
    readonly to: string;
    readonly threadId: string | null;
    readonly title: string;
  }): Promise<boolean>;
  /** Deletes it with its messages, a channel with its threads; the agent starts a new life there (TN-13). */
  delete(to: string, threadId: string | null): Promise<void>;
  find(to: string, threadId: string | null): Promise<LoggedConversation | null>;
  list(): Promise<readonly LoggedConversation[]>;
  /** People's messages after `since`, oldest first: what start-up offers again (IN-14). */
  peopleSince(since: number, limit: number): Promise<readonly LoggedMessage[]>;
}
