import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, NativeCommand, Renderer } from "../../src/channel/capabilities.ts";
import type { AdapterHttp } from "../../src/channel/descriptor.ts";
import { ChannelError } from "../../src/core/errors.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL, isTs } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { fetchFile } from "./files.ts";
import { bucketsOf } from "./limits.ts";
import { reactionsOn } from "./reactions.ts";
import { renderSlack } from "./render.ts";
import { canMakeThread, linkToThread } from "./threads.ts";

/** DL-6: what chat.update takes; a message must be editable with what it was sent with. */
const LONGEST_MESSAGE = 4_000;
/** Slack shows a status for two minutes. */
const TYPING_RENEW_MS = 60_000;

const renderer: Renderer = {
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { mrkdwn, plain, length } = renderSlack(nodes);
    return { rich: mrkdwn, plain, length };
  },
};

/** Builds the adapter of one Slack account (CH-2). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings, _http: AdapterHttp): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as SlackConfig;
  let current: { readonly stopping: AbortController; readonly opened: Promise<Connection> } | null = null;
  let connection: Connection | null = null;
  /** Counts starts and stops; a start that was overtaken must not connect. */
  let generation = 0;
  /** What the picker offers; Slack has no menu to put them up in. */
  let commands: readonly NativeCommand[] = [];
  let ended: Promise<void> = Promise.resolve();

  /** Ends the connection, also one that is still being made: at most one may receive (CH-6). */
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
      // chat.update is limited to some 50 a minute for the whole workspace.
      minIntervalMs: (route) => (route.to.startsWith("D") ? 1_500 : 3_000),
      async preview(route, messageId, piece) {
        if (connection === null || !isTs(messageId)) return null;
        return await connection.preview({ channel: route.to, ts: messageId, text: piece.rich });
      },
    },
    typing: {
      renewMs: TYPING_RENEW_MS,
      start: async (route) => await connection?.typing.show(route),
      stop: async (route) => await connection?.typing.clear(route),
    },
    files: {
      async fetch(attachment, limits) {
        if (connection === null) return { ok: false, reason: "Slack is not connected" };
        const { botToken, apiUrl } = config;
        return await fetchFile({ web: connection.web, botToken, apiUrl }, attachment, limits);
      },
    },
    nativeCommands: {
      async register(all) {
        commands = all;
      },
    },
    reactions: reactionsOn(() => connection?.web ?? null),
    pacing: { buckets: bucketsOf },
    threads: {
      async canCreate(route) {
        if (connection === null) return { can: false, reason: "Slack is not connected" };
        return await canMakeThread(connection.web, route);
      },
      link: (thread, title) => (connection === null ? null : linkToThread(connection.bot, thread, title)),
    },
    idempotentSend: true,
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
        throw new ChannelError("slack_stopped", "the account was stopped before it connected", { decision: "retry" });
      }
      const stopping = new AbortController();
      const opened = connect({ account, config, host, stopping, commands: () => commands });
      current = { stopping, opened };
      const made = await opened;
      if (current?.opened === opened) connection = made;
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
        return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: "Slack is not connected" };
      }
      return await connection.send(delivery, signal);
    },
  };
}
