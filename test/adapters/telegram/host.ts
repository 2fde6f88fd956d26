import { telegramOwnSchema } from "../../../adapters/telegram/config.ts";
import { create } from "../../../adapters/telegram/index.ts";
import { THREAD_BINDING_DEFAULTS } from "../../../config/sections/session.ts";
import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { Delivery, DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { TestHost } from "../../support/adapter-host.ts";

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
    placesInServers: false,
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
  const adapter = create(account(options));
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
