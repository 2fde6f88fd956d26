import { Api } from "grammy";
import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { LimitMet, NativeCommand } from "../../src/channel/capabilities.ts";
import { createHealth, type Health } from "../../src/channel/intake.ts";
import type { LiveConnection } from "../../src/channel/single-connection.ts";
import { drained } from "../../src/channel/single-connection.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { actionThread, type BotFacts } from "./address.ts";
import { menuOf, putUpMenu } from "./calls/commands.ts";
import type { TelegramConfig } from "./config.ts";
import { connectError, readRefusal } from "./errors.ts";
import { pollUpdates } from "./gateway/polling.ts";
import { apiSignal, openTransport, type Transport } from "./gateway/transport.ts";
import { setWebhook, watchWebhook, webhookHandler, webhookPath } from "./gateway/webhook.ts";
import { createTelegramIntake, type TelegramIntake } from "./inbound/intake.ts";
import { carryOut, type OutboundParts } from "./outbound/outbound.ts";
import { createFloodWatch } from "./render.ts";

/** One live connection of one bot: from getMe to the close. A new start makes a new one (CH-6). */
export interface Connection extends LiveConnection {
  readonly api: Api;
  readonly transport: Transport;
  readonly bot: BotFacts;
  showTyping(route: Route): Promise<void>;
  preview(shown: Preview, signal: AbortSignal): Promise<LimitMet | null>;
  register(commands: readonly NativeCommand[]): Promise<void>;
}

/**
 * Connects one account: proves the token, then receives by polling or webhook. Resolves when the platform answered; the
 * account is `ready` when updates can come. Rejects with a ChannelError (CH-6).
 */
export async function connect(parts: {
  readonly account: AccountSettings;
  readonly config: TelegramConfig;
  readonly host: AdapterHost;
  /** Called off by `close`, or from outside while the connection is still being made. */
  readonly stopping: AbortController;
}): Promise<Connection> {
  const { account, config, host, stopping } = parts;
  const { signal } = stopping;
  const transport = openTransport(config.apiRoot);
  // autoRetry stays off and no call waits: all waiting is the outbox's (DL-4).
  const api = new Api(config.botToken, { apiRoot: config.apiRoot, fetch: transport.fetch });
  const health = createHealth(host);
  try {
    const bot = await readBot(api, signal);
    hintAtPrivacy(account, bot, host);
    const commandNames = new Map<string, string>();
    const intake = createTelegramIntake({
      host,
      bot,
      commandNames,
      health,
      signal,
      answerCallback: (id) => void answerCallback(api, id, host),
    });
    const receiving = await receive({ account, config, host, api, intake, health, signal });
    const outbound: OutboundParts = {
      api,
      botId: bot.id,
      log: host.log,
      floods: createFloodWatch(host.clock),
      readFile: (sha256) => host.files.get(sha256),
    };
    return {
      api,
      transport,
      bot,
      open: health.open,
      send: (delivery, sending) => carryOut(outbound, delivery, sending),
      showTyping: (route) => showTyping(api, route, intake, host),
      preview: (shown, showing) => showPreview(outbound, shown, showing),
      register: async (commands) => {
        const menu = menuOf(commands);
        commandNames.clear();
        for (const [shown, own] of menu.names) commandNames.set(shown, own);
        await putUpMenu({ api, botId: bot.id, host, menu, signal });
      },
      close: async () => {
        stopping.abort();
        await drained(
          receiving.ended.then(() => intake.idle()),
          host.log,
        );
        transport.close();
      },
    };
  } catch (error) {
    stopping.abort();
    transport.close();
    throw connectError(error, account);
  }
}

interface Receiving {
  readonly account: AccountSettings;
  readonly config: TelegramConfig;
  readonly host: AdapterHost;
  readonly api: Api;
  readonly intake: TelegramIntake;
  readonly health: Health;
  readonly signal: AbortSignal;
}

/**
 * Starts to receive; the inner promise ends when receiving has ended. A webhook is ready at once, polling when its first poll is
 * answered; neither says so before `open`: what waits for `ready` would find no connection (CH-6).
 */
async function receive(parts: Receiving): Promise<{ readonly ended: Promise<void> }> {
  const { account, config, host, api, intake, health, signal } = parts;
  const { webhook } = config;
  if (webhook === null) return { ended: pollUpdates({ api, intake, account, log: host.log, health, signal }) };
  const handler = webhookHandler({ config: webhook, intake, log: host.log, stopped: signal });
  host.mount(webhookPath(webhook, account.accountId), handler, "public");
  await setWebhook(api, webhook, signal);
  health.connection("ready");
  return { ended: watchWebhook({ api, config: webhook, log: host.log, health, signal }) };
}

async function readBot(api: Api, signal: AbortSignal): Promise<BotFacts> {
  const me = await api.getMe(apiSignal(signal));
  return {
    id: String(me.id),
    username: me.username,
    hasTopics: me.has_topics_enabled,
    readsAllGroupMessages: me.can_read_all_group_messages,
  };
}

/** With privacy mode on, Telegram withholds what a place without `requireMention` is set up to read (FC-112). */
function hintAtPrivacy(account: AccountSettings, bot: BotFacts, host: AdapterHost): void {
  const places = [...account.places].filter(([, place]) => place.requireMention === false).map(([id]) => id);
  if (bot.readsAllGroupMessages || places.length === 0) return;
  host.log.warn(
    { places, bot: bot.username },
    "the bot's privacy mode is on, so Telegram withholds plain group messages where no mention is required: " +
      "turn it off at @BotFather (/setprivacy, Disable) and add the bot to the group again, or make it an administrator there",
  );
}

async function answerCallback(api: Api, id: string, host: AdapterHost): Promise<void> {
  await api.answerCallbackQuery(id).catch((error: unknown) => {
    host.log.debug({ reason: readRefusal(error).reason }, "a pressed button could not be answered");
  });
}

async function showTyping(api: Api, route: Route, intake: TelegramIntake, host: AdapterHost): Promise<void> {
  await api
    .sendChatAction(route.to, "typing", actionThread(route, intake.isForum(route.to)))
    .catch((error: unknown) => {
      host.log.debug({ reason: readRefusal(error).reason, chat: route.to }, "typing could not be shown");
    });
}

export interface Preview {
  readonly route: Route;
  readonly messageId: number;
  readonly html: string;
}

/**
 * An edit between rows. Nothing depends on it (TN-11), so a refusal is only noted: the next one shows more anyway. A limit
 * it met is everybody's in that chat (DL-4).
 */
async function showPreview(parts: OutboundParts, shown: Preview, signal: AbortSignal): Promise<LimitMet | null> {
  const { route, messageId, html } = shown;
  const options = { parse_mode: "HTML", link_preview_options: { is_disabled: true } } as const;
  try {
    await parts.api.editMessageText(route.to, messageId, html, options, apiSignal(signal));
    return null;
  } catch (error) {
    const refusal = readRefusal(error);
    parts.log.debug({ reason: refusal.reason, chat: route.to }, "a preview could not be shown");
    if (refusal.kind !== "rate_limited") return null;
    const { afterMs } = refusal;
    return { afterMs, sharesLimitWith: parts.floods.bucketFor(route.to, afterMs) };
  }
}
