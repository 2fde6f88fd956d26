import { discordOwnSchema } from "../../../adapters/discord/config.ts";
import { create } from "../../../adapters/discord/index.ts";
import { THREAD_BINDING_DEFAULTS } from "../../../config/sections/session.ts";
import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { Delivery, DeliveryContent, Route, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { AccountSettings, PlaceSettings } from "../../../src/core/settings.ts";
import { TestHost } from "../../support/adapter-host.ts";
import type { DiscordEmulator } from "../../support/emulators/discord/emulator.ts";

export interface AccountOptions {
  readonly accountId?: string;
  readonly places?: AccountSettings["places"];
  readonly own: Record<string, unknown>;
}

export function account({ accountId = "default", places = new Map(), own }: AccountOptions): AccountSettings {
  return {
    channel: "discord",
    accountId,
    dmPolicy: "open",
    allowFrom: ["*"],
    groupPolicy: "open",
    placesInServers: true,
    places,
    replyToMode: "first",
    streaming: "partial",
    allowBots: false,
    maxBotTurns: 6,
    pacing: true,
    ackReaction: null,
    threadBindings: THREAD_BINDING_DEFAULTS,
    own: discordOwnSchema.parse(own),
  };
}

/** An entry of the access map that leaves everything open. */
export function place(more: Partial<PlaceSettings> = {}): PlaceSettings {
  const open = { requireMention: null, allowFrom: null, roles: null, agentId: null, systemPrompt: null, tools: null };
  return { enabled: true, ...open, places: new Map(), ...more };
}

/** One adapter, its host, and how it is stopped. */
export interface Running extends AsyncDisposable {
  readonly adapter: ChannelAdapter;
  readonly host: TestHost;
}

/** Starts an account against an emulator; `await using` stops it. */
export async function running(
  dc: DiscordEmulator,
  bot: { readonly token: string },
  host = new TestHost(),
): Promise<Running> {
  const options = { own: { token: bot.token, apiUrl: dc.apiUrl }, accountId: host.accountId };
  const adapter = create(account(options));
  await adapter.start(host);
  await host.untilState("ready");
  return { adapter, host, [Symbol.asyncDispose]: () => adapter.stop() };
}

export function routeTo(to: string, threadId: string | null = null): Route {
  return { channel: "discord", accountId: "default", to, threadId };
}

export function delivery(route: Route, content: DeliveryContent, more: Partial<Delivery> = {}): Delivery {
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
    ...more,
  };
}

export function words(rich: string, replyTo: string | null = null): DeliveryContent {
  return { kind: "message", piece: { rich, plain: rich }, replyTo, private: false };
}

export function send(
  adapter: ChannelAdapter,
  route: Route,
  content: DeliveryContent,
  more: Partial<Delivery> = {},
): Promise<SendOutcome> {
  return adapter.send(delivery(route, content, more), AbortSignal.timeout(15_000));
}

/** The ids of an outcome that must be `sent`. */
export function sentIds(outcome: SendOutcome): readonly string[] {
  if (outcome.outcome !== "sent") throw new Error(`not sent: ${JSON.stringify(outcome)}`);
  return outcome.messageIds;
}
