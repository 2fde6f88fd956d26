import type { Delivery, SendOutcome } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import type { AcceptResult, InboundEvent } from "../core/message/inbound-event.ts";
import type { StoredAttachment } from "../core/message/transcript.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import type { Capabilities, ConversationLog, Renderer, Suggestion, SuggestionKind } from "./capabilities.ts";
import type { PlatformClock } from "./platform-clock.ts";

export type AccountState = "starting" | "ready" | "degraded" | "reconnecting" | "failed";

/** The health of one account (CH-5). `ready` means it was heard from. */
export interface AccountHealth {
  readonly state: AccountState;
  readonly since: number;
  readonly lastInboundAt: number | null;
  readonly lastOutboundAt: number | null;
  readonly lastError: string | null;
  /** How far this machine's clock is ahead of the platform's; negative: behind. 0: within a minute, or not known (FC-320). */
  readonly clockAheadMs: number;
}

/**
 * A handler an adapter mounts under `/<channel>/…`; plain web `Request` and `Response`, so no HTTP library leaks.
 * `signedIn`: by the cookie of a sign-in, so there is something to sign out of.
 */
export type HttpHandler = (
  request: Request,
  facts: { readonly loopback: boolean; readonly operator: boolean; readonly signedIn?: boolean },
) => Promise<Response>;

/**
 * Who may reach a mounted handler. `operator`: the server lets only the operator through, after its Host and Origin checks
 * (CH-4). `public`: anyone; the handler itself authenticates the caller (a webhook's signature or secret).
 */
export type MountAccess = "operator" | "public";

/** Files of an embedded platform: bytes kept under the data folder by content hash (IN-12). */
export interface HostFiles {
  /** The largest file taken, in bytes (`media.maxBytes`). */
  readonly maxBytes: number;
  /** Keeps the bytes; the same bytes twice are kept once. Committed to disk when it resolves. */
  put(bytes: Uint8Array, facts: { readonly name: string; readonly mime: string }): Promise<StoredAttachment>;
  /** The bytes of a hash, or null when none are kept under it. */
  get(sha256: string): Promise<Uint8Array | null>;
}

/** What the bridge gives an adapter. An adapter holds no session logic (IN-1). */
export interface AdapterHost {
  readonly accountId: AccountId;
  readonly clock: Clock;
  /** The platform's own time. An adapter tells it what the platform said, and measures ages with it. */
  readonly platformClock: PlatformClock;
  readonly log: Logger;
  /**
   * Hands an event in. Resolves when it is committed: only then the platform may be acknowledged (IN-3).
   * Rejects with a retryable StoreError when it could not be stored: then it must not be acknowledged.
   */
  accept(event: InboundEvent): Promise<AcceptResult>;
  /**
   * Suggestions for an argument of a command while a person types it (CM-12): at most 25, best first, only what the asker may
   * see; none when they may not use the command. `event`: the command as it would be called; nothing is stored.
   */
  suggest(asking: {
    readonly event: InboundEvent;
    readonly kind: SuggestionKind;
    readonly typed: string;
  }): Promise<readonly Suggestion[]>;
  /**
   * The name of the agent that answers there, for a platform that shows who speaks (CH-4). Null: it has no own name, and
   * the product's serves.
   */
  agentName(facts: Pick<InboundEvent, "route" | "peer" | "thread">): string | null;
  /** Records an event that failed three times, with its error, so that it never blocks the ones behind it (IN-3). */
  park(parked: { readonly identity: string; readonly error: string; readonly raw: string }): Promise<void>;
  report(state: AccountState, error?: string): void;
  /** The chat's id changed (Telegram group migration, SK-9). One idempotent step moves everything. */
  conversationMoved(move: { readonly from: string; readonly to: string }): Promise<void>;
  /**
   * Serves requests whose path begins with `prefix`; mounting it again replaces the handler (a newer generation, CH-6).
   * `access` defaults to `operator`.
   */
  mount(prefix: string, handler: HttpHandler, access?: MountAccess): void;
  /** Small durable values of this account, keyed also by the bot's own id where they depend on it (rule 4). */
  readonly state: { get(key: string): Promise<string | null>; set(key: string, value: string): Promise<void> };
  /** For a platform that Switchyard itself is (the web page): its messages live in the store. */
  readonly conversations: ConversationLog;
  readonly files: HostFiles;
}

/** One account on one platform. Built by the adapter's `create`; everything else about the platform is a capability. */
export interface ChannelAdapter {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly renderer: Renderer;
  readonly capabilities: Capabilities;
  /** Connects. Resolves when connected; rejects with a ChannelError whose decision the supervisor follows (CH-6). */
  start(host: AdapterHost): Promise<void>;
  /** Stops taking events and closes the connection; resolves when no event can arrive any more. */
  stop(): Promise<void>;
  /**
   * Whether sends may go while the account is `reconnecting`: they do not need the line that brings events, and the account
   * was connected before. Default: they wait.
   */
  sendsWithoutEvents?(): boolean;
  /** Performs one claimed delivery: a send, an edit if it has message ids, or a removal. Never throws. */
  send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome>;
}
