import { telegramOwnSchema } from "../../../adapters/telegram/config.ts";
import { create } from "../../../adapters/telegram/index.ts";
import { THREAD_BINDING_DEFAULTS } from "../../../config/normalise-thread-bindings.ts";
import type { AccountState, AdapterHost, ChannelAdapter, HttpHandler } from "../../../src/channel/adapter.ts";
import type { Delivery, DeliveryContent, SendOutcome } from "../../../src/core/delivery.ts";
import type { AcceptResult, InboundEvent } from "../../../src/core/inbound-event.ts";
import type { Route } from "../../../src/core/route.ts";
import type { LogFields, Logger } from "../../../src/core/runtime.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";

export interface Line {
  readonly level: string;
  readonly fields: LogFields;
  readonly text: string;
}

/** A host that keeps everything an adapter tells it, and lets a test wait for it. */
export class TestHost implements AdapterHost {
  readonly accountId: string;
  readonly clock = { now: () => Date.now() };
  readonly events: InboundEvent[] = [];
  readonly parked: { identity: string; error: string; raw: string }[] = [];
  readonly moves: { from: string; to: string }[] = [];
  readonly states: { state: AccountState; error: string | null }[] = [];
  readonly lines: Line[] = [];
  readonly mounts = new Map<string, { handler: HttpHandler; access: string }>();
  readonly stored = new Map<string, string>();
  readonly bytes = new Map<string, Uint8Array>();
  /** What happens when an event is handed in; by default it is accepted. */
  onAccept: (event: InboundEvent) => Promise<void> = async () => undefined;
  readonly log: Logger = this.#logger();
  readonly #waiting = new Set<() => void>();

  constructor(accountId = "default") {
    this.accountId = accountId;
  }

  async accept(event: InboundEvent): Promise<AcceptResult> {
    await this.onAccept(event);
    this.events.push(event);
    this.#changed();
    return { result: "accepted", sessionKey: null, rule: "test" };
  }

  async suggest(): Promise<readonly []> {
    return [];
  }

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
      throw new Error("Telegram stores no files itself");
    },
  };

  get conversations(): never {
    throw new Error("Telegram keeps its own messages");
  }

  texts(): string[] {
    return this.events.map((event) => event.text);
  }

  get now(): AccountState | undefined {
    return this.states.at(-1)?.state;
  }

  /** Resolves when `holds` does; looks after every word of the adapter. */
  async until(holds: () => boolean, what: string, within = 8_000): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`waited ${within} ms in vain for ${what}; states: ${JSON.stringify(this.states)}`));
      }, within);
      this.#waiting.add(look);
    });
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

export interface AccountOptions {
  readonly accountId?: string;
  readonly places?: AccountSettings["places"];
  readonly own: Record<string, unknown>;
}

export function account({ accountId = "default", places = new Map(), own }: AccountOptions): AccountSettings {
  return {
    channel: "telegram",
    accountId,
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    places,
    replyToMode: "first",
    streaming: "partial",
    allowBots: false,
    maxBotTurns: 6,
    pacing: true,
    ackReaction: null,
    threadBindings: THREAD_BINDING_DEFAULTS,
    own: telegramOwnSchema.parse(own),
  };
}

/** One adapter, its host, and how it is stopped. */
export interface Running extends AsyncDisposable {
  readonly adapter: ChannelAdapter;
  readonly host: TestHost;
}

/** Starts an account against an emulator; `await using` stops it. */
export async function running(options: AccountOptions, host = new TestHost(options.accountId)): Promise<Running> {
  const adapter = create(account(options), { webhookBase: "http://127.0.0.1:1" });
  await adapter.start(host);
  return { adapter, host, [Symbol.asyncDispose]: () => adapter.stop() };
}

export function routeTo(to: number | string, threadId: number | string | null = null): Route {
  return {
    channel: "telegram",
    accountId: "default",
    to: String(to),
    threadId: threadId === null ? null : String(threadId),
  };
}

export function delivery(route: Route, content: DeliveryContent, messageIds: readonly string[] = []): Delivery {
  return {
    id: 1,
    key: "k",
    route,
    content,
    state: "sending",
    revision: 0,
    messageIds,
    attempts: 1,
    nextAt: 0,
    reason: null,
    sessionKey: null,
    turnId: null,
    runId: null,
    createdAt: 0,
    settledAt: null,
  } as Delivery;
}

export function words(rich: string, plain = rich, replyTo: string | null = null): DeliveryContent {
  return { kind: "message", piece: { rich, plain }, replyTo, private: false };
}

const patience = (): AbortSignal => AbortSignal.timeout(15_000);

export function send(
  adapter: ChannelAdapter,
  route: Route,
  content: DeliveryContent,
  ids: readonly string[] = [],
): Promise<SendOutcome> {
  return adapter.send(delivery(route, content, ids), patience());
}

/** The ids of an outcome that must be `sent`. */
export function sentIds(outcome: SendOutcome): readonly string[] {
  if (outcome.outcome !== "sent") throw new Error(`not sent: ${JSON.stringify(outcome)}`);
  return outcome.messageIds;
}
