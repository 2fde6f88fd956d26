import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { LimitMet, NativeCommand, ThreadRoot } from "../../src/channel/capabilities.ts";
import { createHealth, type Health } from "../../src/channel/intake.ts";
import { drained, type LiveConnection, reconnectMs } from "../../src/channel/single-connection.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { Logger } from "../../src/core/runtime.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { pause } from "../../src/core/time.ts";
import type { BotFacts } from "./address.ts";
import { createAskers } from "./calls/asked.ts";
import { openAssistantThreads, suggestPrompts } from "./calls/assistant-threads.ts";
import type { SlackConfig } from "./config.ts";
import { connectError, readRefusal } from "./errors.ts";
import { takeEnvelope } from "./gateway/envelopes.ts";
import { eventsHandler, eventsPath } from "./gateway/http-events.ts";
import { createLookups, openWeb, type SlackWeb } from "./gateway/lookups.ts";
import { receiveBySocket } from "./gateway/socket.ts";
import { createSlackIntake, type SlackIntake } from "./inbound/intake.ts";
import { catchUp } from "./missed/catch-up.ts";
import { openSeen } from "./missed/seen.ts";
import { carryOut, type OutboundParts } from "./outbound/outbound.ts";
import { createSentMemory } from "./outbound/read-back.ts";
import { channelBucket } from "./render.ts";

const CHECK_MS = 60_000;
/** If Slack's first answer has not come after this time, the account is retried. */
const FIRST_ANSWER_MS = 4_000;

/** One live connection of one bot: from auth.test to the close. A new start makes a new one (CH-6). */
export interface Connection extends LiveConnection {
  readonly web: SlackWeb;
  readonly bot: BotFacts;
  readonly typing: Typing;
  threadRoot(route: Route): Promise<ThreadRoot | null>;
  preview(shown: { readonly channel: string; readonly ts: string; readonly text: string }): Promise<LimitMet | null>;
}

/**
 * Connects one account: proves the token, then receives by Socket Mode or HTTP. Resolves when Slack answered; the account is
 * `ready` when events can come. Rejects with a ChannelError (CH-6).
 */
export async function connect(parts: {
  readonly account: AccountSettings;
  readonly config: SlackConfig;
  readonly host: AdapterHost;
  /** Called off by `close`, or from outside while the connection is still being made. */
  readonly stopping: AbortController;
  /** What the picker offers. */
  readonly commands: () => readonly NativeCommand[];
}): Promise<Connection> {
  const { account, config, host, stopping, commands } = parts;
  const { signal } = stopping;
  const { log, clock, platformClock } = host;
  const web = openWeb(config.apiUrl, config.botToken, { log, hearDate: platformClock.heard });
  const bot = await readBot(web).catch((error: unknown) => {
    throw connectError(error, account, "botToken");
  });
  const lookups = createLookups(web, log, () => clock.now());
  const askers = createAskers();
  const seen = await openSeen(host, bot.userId);
  const health = createHealth(host);
  const background = new Set<Promise<void>>();
  const remember = await openAssistantThreads(host, bot.userId, lookups);
  const rememberAssistant = async (channel: string, threadTs: string): Promise<void> => {
    await remember(channel, threadTs);
    beside(suggestPrompts(web, { channel, threadTs }, log));
  };
  const intake = createSlackIntake({ host, bot, lookups, askers, seen, health, rememberAssistant, commands, signal });

  function beside(work: Promise<void>): void {
    const done = work.finally(() => background.delete(done));
    background.add(done);
  }

  const onConnected = (): void => beside(catchUp({ web, seen, intake, log, now: platformClock.now(), signal }));
  try {
    const receiving = await receive({ account, config, host, web, intake, health, onConnected, signal });
    const memory = createSentMemory();
    const readFile = (sha256: string): Promise<Uint8Array | null> => host.files.get(sha256);
    const outbound: OutboundParts = { web, bot, memory, askers, clock: platformClock, log, readFile, seen };
    return {
      web,
      bot,
      open: health.open,
      typing: createTyping(web, log),
      send: (delivery, sending) => carryOut(outbound, delivery, sending),
      async threadRoot({ to: channel, threadId }) {
        if (threadId === null) return null;
        // The first message of the answer is the root itself.
        const { messages = [] } = await web.conversations.replies({ channel, ts: threadId, limit: 1 });
        const root = messages.find(({ ts }) => ts === threadId);
        return root === undefined ? null : await intake.readRoot(root, channel);
      },
      async preview({ channel, ts, text }) {
        try {
          await web.chat.update({ channel, ts, text, blocks: [] });
          return null;
        } catch (error) {
          const refusal = readRefusal(error);
          log.debug({ reason: refusal.reason, channel }, "a preview could not be shown");
          if (refusal.kind !== "rate_limited") return null;
          return { afterMs: refusal.afterMs, sharesLimitWith: channelBucket(channel) };
        }
      },
      close: async () => {
        stopping.abort();
        await drained(
          Promise.all([receiving.ended, ...background]).then(() => intake.idle()),
          log,
        );
        await seen.flush();
      },
    };
  } catch (error) {
    stopping.abort();
    await Promise.all(background);
    throw connectError(error, account, "appToken");
  }
}

interface Receiving {
  readonly account: AccountSettings;
  readonly config: SlackConfig;
  readonly host: AdapterHost;
  readonly web: SlackWeb;
  readonly intake: SlackIntake;
  readonly health: Health;
  readonly onConnected: () => void;
  readonly signal: AbortSignal;
}

/** Starts to receive; the inner promise ends when receiving has ended. */
async function receive(parts: Receiving): Promise<{ readonly ended: Promise<void> }> {
  const { account, config, host, intake, health, onConnected, signal } = parts;
  const { log } = host;
  if (config.receiving.mode === "socket") {
    return await receiveBySocket({
      apiUrl: config.apiUrl,
      appToken: config.receiving.appToken,
      account,
      log,
      hearDate: host.platformClock.heard,
      health,
      onEnvelope: (envelope) => void takeEnvelope(envelope, intake, log),
      onConnected,
      signal,
    });
  }
  const { signingSecret } = config.receiving;
  const handler = eventsHandler({ signingSecret, intake, clock: host.platformClock, log, stopped: signal });
  host.mount(eventsPath(account.accountId), handler, "public");
  health.connection("ready");
  onConnected();
  return { ended: watch(parts) };
}

/** Over HTTP nothing stands that could break: once a minute Slack is asked whether the token still works (CH-5). */
async function watch({ web, account, health, onConnected, signal }: Receiving): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    await pause(failures === 0 ? CHECK_MS : reconnectMs(failures), signal);
    if (signal.aborted) return;
    try {
      await web.auth.test();
      health.connection("ready");
      if (failures > 0) onConnected();
      failures = 0;
    } catch (error) {
      const reason = connectError(error, account, "botToken");
      if (reason.decision === "fatal") return health.connection("failed", reason.message);
      failures += 1;
      health.connection("reconnecting", reason.message);
    }
  }
}

async function readBot(web: SlackWeb): Promise<BotFacts> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${FIRST_ANSWER_MS} ms`)), FIRST_ANSWER_MS);
  const me = await Promise.race([web.auth.test(), tooLate]).finally(() => clearTimeout(timer));
  return { userId: me.user_id ?? "", botId: me.bot_id ?? null, teamId: me.team_id ?? "", teamUrl: me.url ?? "" };
}

export interface Typing {
  show(route: Route): Promise<void>;
  clear(route: Route): Promise<void>;
}

/**
 * Slack shows that a bot works only as the status of a thread. Outside of threads nothing is shown: a status there would make
 * a thread (FC-049). An app that may not is not asked again by this connection.
 */
export function createTyping(web: SlackWeb, log: Logger): Typing {
  let allowed = true;

  async function set({ to, threadId }: Route, status: string): Promise<void> {
    if (!allowed || threadId === null) return;
    try {
      await web.assistant.threads.setStatus({ channel_id: to, thread_ts: threadId, status });
    } catch (error) {
      const { kind, reason } = readRefusal(error);
      if (kind === "missing_scope" || kind === "unauthorized") allowed = false;
      log.debug({ reason, channel: to }, "the status of a thread could not be shown");
    }
  }

  return { show: (route) => set(route, "is thinking…"), clear: (route) => set(route, "") };
}
