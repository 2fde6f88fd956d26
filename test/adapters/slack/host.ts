import { slackOwnSchema } from "../../../adapters/slack/config.ts";
import { create } from "../../../adapters/slack/index.ts";
import { THREAD_BINDING_DEFAULTS } from "../../../config/normalise-thread-bindings.ts";
import type { AccountState, AdapterHost, ChannelAdapter, HttpHandler } from "../../../src/channel/adapter.ts";
import type { Suggestion } from "../../../src/channel/capabilities.ts";
import type { Delivery, DeliveryContent, SendOutcome } from "../../../src/core/delivery.ts";
import { type AcceptResult, type InboundEvent, identityKey } from "../../../src/core/inbound-event.ts";
import type { Route } from "../../../src/core/route.ts";
import type { LogFields, Logger } from "../../../src/core/runtime.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import type { App } from "../../support/emulators/slack/accounts.ts";
import type { SlackEmulator } from "../../support/emulators/slack/emulator.ts";

/** A host that keeps everything an adapter tells it, and lets a test wait for it. */
export class TestHost implements AdapterHost {
  readonly accountId = "default";
  readonly clock = { now: () => Date.now() };
  /** Every event that was committed, once each. */
  readonly events: InboundEvent[] = [];
  readonly parked: { identity: string; error: string; raw: string }[] = [];
  readonly states: { state: AccountState; error: string | null }[] = [];
  readonly lines: { readonly level: string; readonly fields: LogFields; readonly text: string }[] = [];
  readonly mounts = new Map<string, { handler: HttpHandler; access: string }>();
  readonly bytes = new Map<string, Uint8Array>();
  /** What happens when an event is handed in; by default it is accepted. */
  onAccept: (event: InboundEvent) => Promise<void> = async () => undefined;
  readonly log: Logger = this.#logger();
  readonly #stored: Map<string, string>;
  readonly #known = new Set<string>();
  readonly #waiting = new Set<() => void>();

  /** `stored`: what an earlier host of the account has kept. */
  constructor(stored = new Map<string, string>()) {
    this.#stored = stored;
  }

  async accept(event: InboundEvent): Promise<AcceptResult> {
    await this.onAccept(event);
    const key = identityKey(event.identity);
    if (this.#known.has(key)) return { result: "duplicate", rule: "identity" };
    this.#known.add(key);
    this.events.push(event);
    this.#changed();
    return { result: "accepted", sessionKey: "agent:main:main", rule: "test" };
  }

  async suggest(): Promise<readonly Suggestion[]> {
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

  async conversationMoved(): Promise<void> {
    throw new Error("Slack's ids never change");
  }

  mount(prefix: string, handler: HttpHandler, access = "operator"): void {
    this.mounts.set(prefix, { handler, access });
  }

  readonly state = {
    get: async (key: string) => this.#stored.get(key) ?? null,
    set: async (key: string, value: string) => {
      this.#stored.set(key, value);
      this.#changed();
    },
  };

  readonly files = {
    maxBytes: 20_000_000,
    get: async (sha256: string) => this.bytes.get(sha256) ?? null,
    put: async () => {
      throw new Error("Slack stores no files itself");
    },
  };

  get conversations(): never {
    throw new Error("Slack keeps its own messages");
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

export function account(own: Record<string, unknown>): AccountSettings {
  return {
    channel: "slack",
    accountId: "default",
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    places: new Map(),
    replyToMode: "all",
    streaming: "partial",
    allowBots: false,
    maxBotTurns: 6,
    pacing: true,
    ackReaction: null,
    threadBindings: THREAD_BINDING_DEFAULTS,
    own: slackOwnSchema.parse(own),
  };
}

export function socketAccount(sl: SlackEmulator, app: App): AccountSettings {
  return account({ botToken: app.botToken, appToken: app.appToken, apiUrl: sl.apiUrl });
}

export function makeAdapter(settings: AccountSettings): ChannelAdapter {
  return create(settings, { webhookBase: "http://127.0.0.1:1" });
}

/** One adapter, its host, and how it is stopped. */
export interface Running extends AsyncDisposable {
  readonly adapter: ChannelAdapter;
  readonly host: TestHost;
}

/** Starts an account against an emulator; `await using` stops it. */
export async function running(settings: AccountSettings, host = new TestHost()): Promise<Running> {
  const adapter = makeAdapter(settings);
  await adapter.start(host);
  return { adapter, host, [Symbol.asyncDispose]: () => adapter.stop() };
}

export function routeTo(to: string, threadId: string | null = null): Route {
  return { channel: "slack", accountId: "default", to, threadId };
}

export function delivery(route: Route, content: DeliveryContent, over: Partial<Delivery> = {}): Delivery {
  return {
    id: 1,
    key: "k",
    route,
    content,
    state: "sending",
    revision: 0,
    messageIds: [],
    attempts: 1,
    nextAt: 0,
    reason: null,
    sessionKey: null,
    turnId: null,
    runId: null,
    createdAt: Date.now(),
    settledAt: null,
    ...over,
  };
}

export function words(
  text: string,
  over: { replyTo?: string; private?: boolean; interaction?: string } = {},
): DeliveryContent {
  return {
    kind: "message",
    piece: { rich: text, plain: text },
    replyTo: over.replyTo ?? null,
    private: over.private ?? false,
    ...(over.interaction === undefined ? {} : { interaction: { id: over.interaction, first: true } }),
  };
}

export function send(
  adapter: ChannelAdapter,
  route: Route,
  content: DeliveryContent,
  over: Partial<Delivery> = {},
): Promise<SendOutcome> {
  return adapter.send(delivery(route, content, over), AbortSignal.timeout(15_000));
}

/** The ids of an outcome that must be `sent`. */
export function sentIds(outcome: SendOutcome): readonly string[] {
  if (outcome.outcome !== "sent") throw new Error(`not sent: ${JSON.stringify(outcome)}`);
  return outcome.messageIds;
}
