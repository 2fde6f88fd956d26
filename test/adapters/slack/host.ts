import { slackOwnSchema } from "../../../adapters/slack/config.ts";
import { create } from "../../../adapters/slack/index.ts";
import { THREAD_BINDING_DEFAULTS } from "../../../config/sections/session.ts";
import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { Delivery, DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { TestHost } from "../../support/adapter-host.ts";
import type { App } from "../../support/emulators/slack/accounts.ts";
import type { SlackEmulator } from "../../support/emulators/slack/emulator.ts";

export function account(own: Record<string, unknown>): AccountSettings {
  return {
    channel: "slack",
    accountId: "default",
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    places: new Map(),
    placesInServers: false,
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
  return create(settings);
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
