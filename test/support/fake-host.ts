import { createHash } from "node:crypto";
import { createConversationLog } from "../../src/bridge/accounts/conversation-log.ts";
import type { AccountState, AdapterHost, HostFiles } from "../../src/channel/adapter.ts";
import type { ConversationLog } from "../../src/channel/capabilities.ts";
import { createPlatformClock, type PlatformClock } from "../../src/channel/platform-clock.ts";
import { StoreError } from "../../src/core/errors.ts";
import type { AccountId, ChannelId } from "../../src/core/ids.ts";
import { type AcceptResult, type InboundEvent, identityKey } from "../../src/core/message/inbound-event.ts";
import { createMounts, type Mounts } from "../../src/http/mounts.ts";
import type { FakeClock } from "./fake-clock.ts";
import { silentLog, type TestStore } from "./test-store.ts";

const DEADLINE_MS = 8000;

export interface FakeHostOptions {
  readonly channel: ChannelId;
  readonly accountId?: AccountId;
  readonly test: TestStore;
  readonly maxBytes?: number;
}

/**
 * A host without a bridge behind it: it commits events in memory, once per identity, and lets a test hold or fail the
 * commit. Conversations and their messages live in a real store.
 */
export class FakeHost implements AdapterHost {
  readonly accountId: AccountId;
  readonly clock: FakeClock;
  readonly platformClock: PlatformClock;
  readonly log = silentLog;
  readonly conversations: ConversationLog;
  readonly files: HostFiles;
  readonly mounts: Mounts = createMounts();
  /** Every call of `accept`, also the refused and doubled ones. */
  readonly offered: InboundEvent[] = [];
  /** What was committed, once each. */
  readonly accepted: InboundEvent[] = [];
  readonly parked: { identity: string; error: string; raw: string }[] = [];
  readonly moves: { from: string; to: string }[] = [];
  readonly states: { state: AccountState; error: string | null }[] = [];
  /** Answers instead of accepting, while set. */
  refuse: AcceptResult | null = null;
  /** The store is away, while set. */
  storeIsAway = false;
  /** What storing an event fails with; null: it succeeds. */
  trouble: (event: InboundEvent) => Error | null = () => null;
  /** What parking fails with, while set. */
  parkTrouble: Error | null = null;
  readonly #known = new Set<string>();
  readonly #values = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  #gate: Promise<void> | null = null;

  constructor({ channel, accountId = "default", test, maxBytes = 1_000_000 }: FakeHostOptions) {
    this.accountId = accountId;
    this.clock = test.clock;
    this.platformClock = createPlatformClock({ clock: test.clock });
    this.conversations = createConversationLog(test.store, channel, accountId);
    this.files = memoryFiles(maxBytes);
  }

  /** Holds every commit until the returned function is called. */
  holdAccept(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return () => {
      this.#gate = null;
      resolve();
    };
  }

  async accept(event: InboundEvent): Promise<AcceptResult> {
    // Only its reason is kept (IN-17).
    if (event.startsNothing !== undefined) return { result: "ignored", rule: event.startsNothing };
    this.offered.push(event);
    this.#changed();
    await this.#gate;
    if (this.storeIsAway) throw new StoreError("busy", "the disk is full", { retryable: true });
    const trouble = this.trouble(event);
    if (trouble !== null) throw trouble;
    if (this.refuse !== null) return this.refuse;
    const key = identityKey(event.identity);
    if (this.#known.has(key)) return { result: "duplicate", rule: "identity" };
    this.#known.add(key);
    this.accepted.push(event);
    this.#changed();
    return { result: "accepted", sessionKey: null, rule: "test" };
  }

  /** What the page is told of the agent that answers. */
  agent: string | null = null;

  agentName(): string | null {
    return this.agent;
  }

  async suggest(): Promise<readonly []> {
    return [];
  }

  async park(parked: { identity: string; error: string; raw: string }): Promise<void> {
    if (this.parkTrouble !== null) throw this.parkTrouble;
    this.parked.push(parked);
    this.#changed();
  }

  report(state: AccountState, error?: string): void {
    this.states.push({ state, error: error ?? null });
    this.#changed();
  }

  async conversationMoved(move: { readonly from: string; readonly to: string }): Promise<void> {
    this.moves.push(move);
    this.#changed();
  }

  mount: AdapterHost["mount"] = (prefix, handler, access) => this.mounts.mount(prefix, handler, access);

  readonly state: AdapterHost["state"] = {
    get: async (key) => this.#values.get(key) ?? null,
    set: async (key, value) => {
      this.#values.set(key, value);
    },
  };

  get health(): AccountState | undefined {
    return this.states.at(-1)?.state;
  }

  /** Resolves when `holds` does; it is asked after every word of the adapter. */
  async until(holds: () => boolean, what: string): Promise<void> {
    if (holds()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (holds()) resolve();
    };
    const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), DEADLINE_MS);
    this.#waiting.add(look);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function memoryFiles(maxBytes: number): HostFiles {
  const kept = new Map<string, Uint8Array>();
  return {
    maxBytes,
    async put(bytes, { name, mime }) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      kept.set(sha256, bytes);
      return { name, mime, bytes: bytes.byteLength, sha256 };
    },
    get: async (sha256) => kept.get(sha256) ?? null,
  };
}
