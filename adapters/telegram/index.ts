import { Api } from "grammy";
import type { ReactionTypeEmoji } from "grammy/types";
import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, LimitMet, NativeCommand, Renderer } from "../../src/channel/capabilities.ts";
import { createHealth, type Health } from "../../src/channel/intake.ts";
import { createSingleConnection, drained, type LiveConnection } from "../../src/channel/single-connection.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { actionThread, type BotFacts, CHANNEL, isPrivateChat, messageNumber } from "./address.ts";
import { menuOf, putUpMenu } from "./calls/commands.ts";
import type { TelegramConfig } from "./config.ts";
import { connectError, readRefusal } from "./errors.ts";
import { pollUpdates } from "./gateway/polling.ts";
import { apiSignal, openTransport, type Transport } from "./gateway/transport.ts";
import { setWebhook, watchWebhook, webhookHandler, webhookPath } from "./gateway/webhook.ts";
import { createTelegramIntake, type TelegramIntake } from "./inbound/intake.ts";
import { fetchFile } from "./outbound/files.ts";
import { carryOut, type OutboundParts } from "./outbound/outbound.ts";
import { canMakeTopic, linkToTopic } from "./outbound/threads.ts";
import { bucketsOf, createFloodWatch, MOST_ENTITIES, renderTelegram } from "./render.ts";

/** DL-6: counted after entities are parsed. */
const LONGEST_MESSAGE = 4_096;
/** Telegram shows typing for 5 s. */
const TYPING_RENEW_MS = 4_500;

const renderer: Renderer = {
  notifies: true,
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { html, plain, length, entities } = renderTelegram(nodes);
    // The entities count as much of the limit as they take of theirs, so that a message is split at either.
    const share = Math.ceil((entities / MOST_ENTITIES) * LONGEST_MESSAGE);
    return { rich: html, plain, length: Math.max(length, share) };
  },
};

/** Builds the adapter of one Telegram account (CH-3). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as TelegramConfig;
  const line = createSingleConnection<Connection>({ channel: CHANNEL, name: "Telegram", accountId: account.accountId });

  const capabilities: Capabilities = {
    edits: {
      minIntervalMs: (route) => (isPrivateChat(route.to) ? 1_000 : 3_000),
      async preview(route, messageId, piece, signal) {
        const number = messageNumber(messageId);
        const connection = line.live();
        if (connection === null || number === null) return null;
        return await connection.preview({ route, messageId: number, html: piece.rich }, signal);
      },
    },
    typing: { renewMs: TYPING_RENEW_MS, start: async (route) => await line.live()?.showTyping(route) },
    nativeCommands: { register: async (commands) => await line.live()?.register(commands) },
    files: {
      async fetch(attachment, limits) {
        const connection = line.live();
        if (connection === null) return { ok: false, reason: line.missing };
        const fileRoot = `${config.apiRoot}/file/bot${config.botToken}`;
        const { api, transport } = connection;
        const { filesFolder } = config;
        return await fetchFile({ api, transport, fileRoot, filesFolder }, attachment, limits);
      },
    },
    reactions: reactionsOn(() => line.live()?.api ?? null),
    pacing: { buckets: bucketsOf },
    threads: {
      async canCreate(route, signal) {
        const connection = line.live();
        if (connection === null) return { can: false, reason: line.missing };
        return await canMakeTopic(connection, route, signal);
      },
      link: linkToTopic,
    },
  };

  return {
    channel: CHANNEL,
    accountId: account.accountId,
    renderer,
    capabilities,
    start: (host: AdapterHost) => line.start((stopping) => connect({ account, config, host, stopping })),
    stop: line.end,
    send: line.send,
  };
}

/** The bot's own reaction on a message: setting it replaces what was there. Rejects when Telegram refuses it; nothing depends on it. */
function reactionsOn(api: () => Api | null): NonNullable<Capabilities["reactions"]> {
  async function set(place: { readonly to: string; readonly messageId: string }, emoji: string | null): Promise<void> {
    const number = messageNumber(place.messageId);
    if (number === null) return;
    // Read by foldReaction, which knows only Telegram's own.
    const reaction = emoji === null ? [] : [{ type: "emoji", emoji: emoji as ReactionTypeEmoji["emoji"] } as const];
    await api()?.setMessageReaction(place.to, number, reaction);
  }
  return {
    put: ({ route, messageId }, emoji) => set({ to: route.to, messageId }, emoji),
    remove: ({ route, messageId }) => set({ to: route.to, messageId }, null),
  };
}

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
  const transport = openTransport(config.apiRoot, host.platformClock.heard);
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
  if (webhook === null) return { ended: pollUpdates({ api, intake, account, host, health, signal }) };
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
