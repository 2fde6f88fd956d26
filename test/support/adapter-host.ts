import type { AccountState, AdapterHost, HttpHandler } from "../../src/channel/adapter.ts";
import { createPlatformClock } from "../../src/channel/platform-clock.ts";
import { type AcceptResult, type InboundEvent, identityKey } from "../../src/core/message/inbound-event.ts";
import type { LogFields, Logger } from "../../src/core/runtime.ts";

export interface Line {
  readonly level: string;
  readonly fields: LogFields;
  readonly text: string;
}

/** A host that keeps everything an adapter tells it, and lets a test wait for it. */
export class TestHost implements AdapterHost {
  readonly accountId: string;
  readonly clock = { now: () => Date.now() };
  readonly platformClock = createPlatformClock({ clock: this.clock });
  /** Every event that was committed, once each. */
  readonly events: InboundEvent[] = [];
  readonly parked: { identity: string; error: string; raw: string }[] = [];
  readonly moves: { from: string; to: string }[] = [];
  readonly states: { state: AccountState; error: string | null }[] = [];
  readonly lines: Line[] = [];
  readonly mounts = new Map<string, { handler: HttpHandler; access: string }>();
  readonly bytes = new Map<string, Uint8Array>();
  /** What happens when an event is handed in; by default it is accepted. */
  onAccept: (event: InboundEvent) => Promise<void> = async () => undefined;
  readonly log: Logger = this.#logger();
  /** What the adapter keeps over restarts. */
  readonly stored: Map<string, string>;
  readonly #known = new Set<string>();
  readonly #waiting = new Set<() => void>();

  /** `stored`: what an earlier host of the account has kept. */
  constructor(accountId = "default", stored = new Map<string, string>()) {
    this.accountId = accountId;
    this.stored = stored;
  }

  async accept(event: InboundEvent): Promise<AcceptResult> {
    await this.onAccept(event);
    const key = identityKey(event.identity);
    if (this.#known.has(key)) return { result: "duplicate", rule: "identity" };
    this.#known.add(key);
    // Only its reason is kept (IN-17).
    if (event.startsNothing !== undefined) return { result: "ignored", rule: event.startsNothing };
    this.events.push(event);
    this.#changed();
    return { result: "accepted", sessionKey: "agent:main:main", rule: "test" };
  }

  /** What is proposed to whoever asks. */
  suggestions: AdapterHost["suggest"] = async () => [];

  suggest: AdapterHost["suggest"] = (asking) => this.suggestions(asking);
  agentName: AdapterHost["agentName"] = () => null;

  async park(parked: { identity: string; error: string; raw: string }): Promise<void> {
    this.parked.push(parked);
    this.#changed();
  }

  report(state: AccountState, error?: string): void {
    this.states.push({ state, error: error ?? null });
    this.#changed();
  }

  async conversationMoved(move: { from: string; to: string }): Promise<void> {
    this.moves.push(move);
    this.#changed();
  }

  mount(prefix: string, handler: HttpHandler, access = "operator"): void {
    this.mounts.set(prefix, { handler, access });
  }

  readonly state = {
    get: async (key: string) => this.stored.get(key) ?? null,
    set: async (key: string, value: string) => {
      this.stored.set(key, value);
      this.#changed();
    },
  };

  readonly files = {
    maxBytes: 20_000_000,
    get: async (sha256: string) => this.bytes.get(sha256) ?? null,
    put: async () => {
      throw new Error("only an embedded platform stores files");
    },
  };

  get conversations(): never {
    throw new Error("these platforms keep their own messages");
  }

  texts(): string[] {
    return this.events.map((event) => event.text);
  }

  get now(): AccountState | undefined {
    return this.states.at(-1)?.state;
  }

  /** Resolves when `holds` does; looks after every word of the adapter. */
  async until(holds: () => boolean, what: string, within = 10_000): Promise<void> {
    if (holds()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      if (holds()) resolve();
    };
    const timer = setTimeout(() => {
      const seen = JSON.stringify({ states: this.states, texts: this.texts() });
      reject(new Error(`waited ${within} ms in vain for ${what}: ${seen}`));
    }, within);
    this.#waiting.add(look);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  untilState(state: AccountState, within?: number): Promise<void> {
    return this.until(() => this.now === state, `the state ${state}`, within);
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  #logger(): Logger {
    const write =
      (level: string) =>
      (fields: LogFields, text: string): void => {
        this.lines.push({ level, fields, text });
      };
    const log: Logger = {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: () => log,
    };
    return log;
  }
}
