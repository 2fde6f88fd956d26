import type { REST } from "discord.js";
import { Routes } from "discord-api-types/v10";
import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, Renderer } from "../../src/channel/capabilities.ts";
import { createSingleConnection } from "../../src/channel/single-connection.ts";
import { encodeId } from "../../src/core/ids.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL, targetOf } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import { DISCORD_API_URL, type DiscordConfig } from "./config.ts";
import { fetchFile } from "./outbound/files.ts";
import { linkToThread } from "./outbound/threads.ts";
import { bucketsOf, renderDiscord } from "./render.ts";

/** DL-6: in UTF-16 units. */
const LONGEST_MESSAGE = 2_000;
/** Discord shows typing for 10 s. */
const TYPING_RENEW_MS = 8_000;

const renderer: Renderer = {
  notifies: true,
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { markdown, plain, length } = renderDiscord(nodes);
    return { rich: markdown, plain, length };
  },
};

/** Builds the adapter of one Discord account (CH-1). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as DiscordConfig;
  const line = createSingleConnection<Connection>({ channel: CHANNEL, name: "Discord", accountId: account.accountId });
  let intentWasOff = false;

  const capabilities: Capabilities = {
    edits: {
      minIntervalMs: (route) => (line.live()?.isDirect(route.to) === true ? 1_200 : 3_000),
      async preview(route, messageId, piece, signal) {
        return (await line.live()?.preview({ route, messageId, text: piece.rich }, signal)) ?? null;
      },
    },
    typing: { renewMs: TYPING_RENEW_MS, start: async (route) => await line.live()?.showTyping(route) },
    nativeCommands: { register: async (commands) => await line.live()?.register(commands) },
    files: {
      async fetch(attachment, limits) {
        // A local server's files lie on the same local address.
        const trustedOrigins = config.apiUrl === DISCORD_API_URL ? [] : [new URL(config.apiUrl).origin];
        return await fetchFile(attachment, { ...limits, trustedOrigins });
      },
    },
    threadRoot: async (route, signal) => (await line.live()?.threadRoot(route, signal)) ?? null,
    reactions: reactionsOn(() => line.live()?.rest ?? null),
    pacing: { buckets: bucketsOf },
    idempotentSend: true,
    threads: {
      async canCreate(route) {
        const connection = line.live();
        if (connection === null) return { can: false, reason: line.missing };
        return await connection.canMakeThread(route);
      },
      link: linkToThread,
    },
  };

  return {
    channel: CHANNEL,
    accountId: account.accountId,
    renderer,
    capabilities,
    async start(host: AdapterHost) {
      const onIntentOff = (): void => {
        intentWasOff = true;
      };
      await line.start(async (stopping) => {
        const made = await connect({ account, config, host, stopping, intentWasOff, onIntentOff });
        intentWasOff = false;
        return made;
      });
    },
    stop: line.end,
    sendsWithoutEvents: () => line.live() !== null,
    send: line.send,
  };
}

/** The bot's own reaction on a message. Rejects when Discord refuses it; nothing depends on it. */
function reactionsOn(rest: () => REST | null): NonNullable<Capabilities["reactions"]> {
  return {
    async put({ route, messageId }, emoji) {
      await rest()?.put(Routes.channelMessageOwnReaction(targetOf(route), messageId, encodeId(emoji)));
    },
    async remove({ route, messageId }, emoji) {
      await rest()?.delete(Routes.channelMessageOwnReaction(targetOf(route), messageId, encodeId(emoji)));
    },
  };
}
