import type { Api } from "grammy";
import type { ReactionTypeEmoji } from "grammy/types";
import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, Renderer } from "../../src/channel/capabilities.ts";
import { createSingleConnection } from "../../src/channel/single-connection.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL, isPrivateChat, messageNumber } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import type { TelegramConfig } from "./config.ts";
import { fetchFile } from "./outbound/files.ts";
import { canMakeTopic, linkToTopic } from "./outbound/threads.ts";
import { bucketsOf, MOST_ENTITIES, renderTelegram } from "./render.ts";

/** DL-6: counted after entities are parsed. */
const LONGEST_MESSAGE = 4_096;
/** Telegram shows typing for 5 s. */
const TYPING_RENEW_MS = 4_500;

const renderer: Renderer = {
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
