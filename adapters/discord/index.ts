import type { AdapterHost, ChannelAdapter } from "../../src/channel/adapter.ts";
import type { Capabilities, Renderer } from "../../src/channel/capabilities.ts";
import type { AdapterHttp } from "../../src/channel/descriptor.ts";
import { ChannelError } from "../../src/core/errors.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { CHANNEL } from "./address.ts";
import { type Connection, connect } from "./client.ts";
import { DISCORD_API_URL, type DiscordConfig } from "./config.ts";
import { fetchFile } from "./files.ts";
import { bucketsOf } from "./limits.ts";
import { reactionsOn } from "./reactions.ts";
import { renderDiscord } from "./render.ts";
import { linkToThread } from "./threads.ts";

/** DL-6: in UTF-16 units. */
const LONGEST_MESSAGE = 2_000;
/** Discord shows typing for 10 s. */
const TYPING_RENEW_MS = 8_000;

const renderer: Renderer = {
  maxLength: LONGEST_MESSAGE,
  render(nodes) {
    const { markdown, plain, length } = renderDiscord(nodes);
    return { rich: markdown, plain, length };
  },
};

/** Builds the adapter of one Discord account (CH-1). It connects when it is started, and again after each stop. */
export function create(account: AccountSettings, _http: AdapterHttp): ChannelAdapter {
  // The section was parsed by this adapter's own schema when the configuration was loaded.
  const config = account.own as DiscordConfig;
  let current: { readonly stopping: AbortController; readonly opened: Promise<Connection> } | null = null;
  let connection: Connection | null = null;
  /** Counts starts and stops; a start that was overtaken must not connect. */
  let generation = 0;
  let intentWasOff = false;
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
      minIntervalMs: (route) => (connection?.isDirect(route.to) === true ? 1_200 : 3_000),
      async preview(route, messageId, piece, signal) {
        return (await connection?.preview({ route, messageId, text: piece.rich }, signal)) ?? null;
      },
    },
    typing: { renewMs: TYPING_RENEW_MS, start: async (route) => await connection?.showTyping(route) },
    nativeCommands: { register: async (commands) => await connection?.register(commands) },
    files: {
      async fetch(attachment, limits) {
        // A local server's files lie on the same local address.
        const trustedOrigins = config.apiUrl === DISCORD_API_URL ? [] : [new URL(config.apiUrl).origin];
        return await fetchFile(attachment, { ...limits, trustedOrigins });
      },
    },
    reactions: reactionsOn(() => connection?.rest ?? null),
    pacing: { buckets: bucketsOf },
    idempotentSend: true,
    threads: {
      async canCreate(route) {
        if (connection === null) return { can: false, reason: "Discord is not connected" };
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
      const ending = end();
      const mine = generation;
      await ending;
      if (mine !== generation) {
        throw new ChannelError("discord_stopped", "the account was stopped before it connected", { decision: "retry" });
      }
      const stopping = new AbortController();
      const onIntentOff = (): void => {
        intentWasOff = true;
      };
      const opened = connect({ account, config, host, stopping, intentWasOff, onIntentOff });
      current = { stopping, opened };
      const made = await opened;
      intentWasOff = false;
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
        return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason: "Discord is not connected" };
      }
      return await connection.send(delivery, signal);
    },
  };
}
