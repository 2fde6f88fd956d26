import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, NativeCommand, Renderer } from "../../src/channel/capabilities.ts";
import { createSingleConnection } from "../../src/channel/single-connection.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL, isTs } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import type { SlackWeb } from "./gateway/lookups.ts";
import { fetchFile } from "./outbound/files.ts";
import { canMakeThread, linkToThread } from "./outbound/threads.ts";
import { bucketsOf, renderSlack } from "./render.ts";

/** DL-6: what chat.update takes; a message must be editable with what it was sent with. */
const LONGEST_MESSAGE = 4_000;
/** Slack shows a status for two minutes. */
const TYPING_RENEW_MS = 60_000;

const renderer: Renderer = {
  notifies: true,
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { mrkdwn, plain, length } = renderSlack(nodes);
    return { rich: mrkdwn, plain, length };
  },
};

/** Builds the adapter of one Slack account (CH-2). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as SlackConfig;
  const line = createSingleConnection<Connection>({ channel: CHANNEL, name: "Slack", accountId: account.accountId });
  /** What the picker offers; Slack has no menu to put them up in. */
  let commands: readonly NativeCommand[] = [];

  const capabilities: Capabilities = {
    edits: {
      // chat.update is limited to some 50 a minute for the whole workspace.
      minIntervalMs: (route) => (route.to.startsWith("D") ? 1_500 : 3_000),
      async preview(route, messageId, piece) {
        const connection = line.live();
        if (connection === null || !isTs(messageId)) return null;
        return await connection.preview({ channel: route.to, ts: messageId, text: piece.rich });
      },
    },
    typing: {
      renewMs: TYPING_RENEW_MS,
      start: async (route) => await line.live()?.typing.show(route),
      stop: async (route) => await line.live()?.typing.clear(route),
    },
    files: {
      async fetch(attachment, limits) {
        const connection = line.live();
        if (connection === null) return { ok: false, reason: line.missing };
        const { botToken, apiUrl } = config;
        return await fetchFile({ web: connection.web, botToken, apiUrl }, attachment, limits);
      },
    },
    nativeCommands: {
      async register(all) {
        commands = all;
      },
    },
    threadRoot: async (route) => (await line.live()?.threadRoot(route)) ?? null,
    reactions: reactionsOn(() => line.live()?.web ?? null),
    pacing: { buckets: bucketsOf },
    threads: {
      async canCreate(route) {
        const connection = line.live();
        if (connection === null) return { can: false, reason: line.missing };
        return await canMakeThread(connection.web, route);
      },
      link(thread, title) {
        const connection = line.live();
        return connection === null ? null : linkToThread(connection.bot, thread, title);
      },
    },
    idempotentSend: true,
  };

  return {
    channel: CHANNEL,
    accountId: account.accountId,
    renderer,
    capabilities,
    start: (host: AdapterHost) =>
      line.start((stopping) => connect({ account, config, host, stopping, commands: () => commands })),
    stop: line.end,
    sendsWithoutEvents: () => line.live() !== null,
    send: line.send,
  };
}

/** The bot's own reaction on a message. Rejects when Slack refuses it; nothing depends on it. */
function reactionsOn(web: () => SlackWeb | null): NonNullable<Capabilities["reactions"]> {
  return {
    async put({ route, messageId }, name) {
      await web()?.reactions.add({ channel: route.to, timestamp: messageId, name });
    },
    async remove({ route, messageId }, name) {
      await web()?.reactions.remove({ channel: route.to, timestamp: messageId, name });
    },
  };
}
