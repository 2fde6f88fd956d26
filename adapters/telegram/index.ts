import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, Renderer } from "../../src/channel/capabilities.ts";
import type { AdapterHttp } from "../../src/channel/descriptor.ts";
import { ChannelError } from "../../src/core/errors.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL, isPrivateChat, messageNumber } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import type { TelegramConfig } from "./config.ts";
import { fetchFile } from "./files.ts";
import { bucketsOf } from "./limits.ts";
import { reactionsOn } from "./reactions.ts";
import { renderTelegram } from "./render.ts";
import { canMakeTopic, linkToTopic } from "./threads.ts";

/** DL-6: counted after entities are parsed. */
const LONGEST_MESSAGE = 4_096;
/** Telegram shows typing for 5 s. */
const TYPING_RENEW_MS = 4_500;

const renderer: Renderer = {
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { html, plain, length } = renderTelegram(nodes);
    return { rich: html, plain, length };
  },
};

/** Builds the adapter of one Telegram account (CH-3). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings, _http: AdapterHttp): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as TelegramConfig;
  let current: { readonly stopping: AbortController; readonly opened: Promise<Connection> } | null = null;
  let connection: Connection | null = null;
  /** Counts starts and stops; a start that was overtaken must not connect. */
  let generation = 0;
  let ended: Promise<void> = Promise.resolve();

  /** Ends the connection, also one that is still being made: at most one may receive (CH-6, FC-074). */
  async function close(): Promise<void> {
    const closing = current;
    current = null;
    connection = null;
    if (closing === null) return;
    closing.stopping.abort();
    const opened = await closing.opened.catch(() => null);
    await opened?.close();
  }

  /** Whoever ends waits for every end before. */
  function end(): Promise<void> {
    generation += 1;
    ended = ended.then(close);
    return ended;
  }

  const capabilities: Capabilities = {
    edits: {
      minIntervalMs: (route) => (isPrivateChat(route.to) ? 1_000 : 3_000),
      async preview(route, messageId, piece, signal) {
        const number = messageNumber(messageId);
        if (connection === null || number === null) return null;
        return await connection.preview({ route, messageId: number, html: piece.rich }, signal);
      },
    },
    typing: { renewMs: TYPING_RENEW_MS, start: async (route) => await connection?.showTyping(route) },
    nativeCommands: { register: async (commands) => await connection?.register(commands) },
    files: {
      async fetch(attachment, limits) {
        if (connection === null) return { ok: false, reason: "Telegram is not connected" };
        const fileRoot = `${config.apiRoot}/file/bot${config.botToken}`;
        return await fetchFile({ api: connection.api, transport: connection.transport, fileRoot }, attachment, limits);
      },
    },
    reactions: reactionsOn(() => connection?.api ?? null),
    pacing: { buckets: bucketsOf },
    threads: {
      async canCreate(route, signal) {
        if (connection === null) return { can: false, reason: "Telegram is not connected" };
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
    async start(host: AdapterHost) {
      const ending = end();
      const mine = generation;
      await ending;
      if (mine !== generation) {
        throw new ChannelError("telegram_stopped", "the account was stopped before it connected", {
          decision: "retry",
        });
      }
      const stopping = new AbortController();
      const opened = connect({ account, config, host, stopping });
      current = { stopping, opened };
      const made = await opened;
      if (current?.opened !== opened) return;
      connection = made;
      made.open();
    },
    stop: end,
    async send(delivery, signal) {
      const { channel, accountId } = delivery.route;
      // There is no default account: a wrong route is a fault to show, not a message to put somewhere else (FC-090).
      if (channel !== CHANNEL || accountId !== account.accountId) {
        const reason = `this is ${CHANNEL}/${account.accountId}, the route is for ${channel}/${accountId}`;
        return { outcome: "failed", reason, gone: false, movedTo: null };
      }
      if (connection === null) {
        return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: "Telegram is not connected" };
      }
      return await connection.send(delivery, signal);
    },
  };
}
