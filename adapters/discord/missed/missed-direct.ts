import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { pause } from "../../../src/core/time.ts";
import type { Packet } from "../gateway/packets.ts";
import type { DiscordMessage } from "../inbound/content.ts";
import { type GatewaySession, type Replay, replay } from "./replay.ts";

/** How long the first greeting waits for what was missed, so that it comes before what is said now. */
const HEAD_START_MS = 300;

/**
 * Hears the direct messages that an earlier run has missed, and those of an outage: a library that cannot connect again at once
 * forgets its session and logs in afresh. Leaves the next run what it needs for the same (IN-14).
 */
export interface MissedDirect {
  note(packet: Packet, shardId: number): void;
  /** The new session receives. Resolves when what was missed has been handed over, or shortly, if it is not there yet. */
  begin(into: {
    readonly take: (message: DiscordMessage) => void;
    /** Resolves when what has come is stored. */
    readonly stored: () => Promise<void>;
  }): Promise<void>;
  end(): void;
}

/** Starts immediately, beside the login. */
export function hearMissedDirect(parts: {
  readonly host: Pick<AdapterHost, "state" | "log">;
  readonly token: string;
  readonly signal: AbortSignal;
}): MissedDirect {
  const { host, token, signal } = parts;
  const kept = keepSession(parts);
  const old = new Set<Replay>();
  let take: ((message: DiscordMessage) => void) | null = null;
  /** Resolves when what was missed in this run has come. The new session is not written before: the old one could not be asked again. */
  let heard: Promise<void> = Promise.resolve();
  const noted = (error: unknown): void =>
    host.log.debug({ err: error }, "an earlier session of the gateway is left open");
  const opened = open().catch(notAsked);

  /** Such as a session without an address: it is ignored, and the next one is still kept. */
  function notAsked(error: unknown): null {
    host.log.debug({ err: error }, "what was missed in direct messages cannot be asked for");
    return null;
  }

  async function open(): Promise<Replay | null> {
    const left = await leftSession(host, token);
    return left === null || signal.aborted ? null : replay(left, { token, log: host.log });
  }

  /** Two sessions listen until the new one is on disk: whenever the process dies, one of them can be taken up. */
  async function handOver(from: Replay | null): Promise<void> {
    await from?.done;
    await kept.save();
    from?.end(true);
  }

  async function takeUp(lost: GatewaySession, into: (message: DiscordMessage) => void): Promise<void> {
    const again = replay(lost, { token, log: host.log });
    old.add(again);
    again.deliver(into);
    handOver(again).then(() => old.delete(again), noted);
    await again.done;
  }

  return {
    note(packet, shardId) {
      const lost = kept.note(packet, shardId);
      if (lost !== null && take !== null)
        heard = Promise.all([heard, takeUp(lost, take).catch(notAsked)]).then(() => undefined);
    },
    async begin(into) {
      const left = await opened;
      if (left !== null) await Promise.race([left.done, pause(HEAD_START_MS, signal)]);
      left?.deliver(into.take);
      take = into.take;
      kept.begin(async () => {
        await heard;
        await into.stored();
      });
      handOver(left).catch(noted);
    },
    end() {
      kept.end();
      for (const again of old) again.end(false);
      void opened.then((left) => left?.end(false));
    },
  };
}

const KEY = "gateway-session";
/** How soon after an event the session is written: Discord need not repeat much, and a busy account writes once a second. */
const WRITE_MS = 1_000;
/** Direct messages come over the first shard. */
const SHARD = 0;

/** The gateway session of an account, kept so that the next run can take it up. */
export interface KeptSession {
  /** Something came; nothing is written before `begin`. Returns the session that a fresh one has replaced, else null. */
  note(packet: Packet, shardId: number): GatewaySession | null;
  /** From now on it is written. `stored`: resolves when what has come is stored. */
  begin(stored: () => Promise<void>): void;
  /** Resolves when the session is written as it is now, or later. */
  save(): Promise<void>;
  end(): void;
}

/** The session an earlier run of the same bot has left; null: none. */
export async function leftSession(host: Pick<AdapterHost, "state">, token: string): Promise<GatewaySession | null> {
  const text = await host.state.get(KEY);
  const left = text === null ? null : (JSON.parse(text) as GatewaySession & { readonly bot: string });
  return left === null || left.bot !== botPart(token) ? null : left;
}

/** Its sequence never passes an event that is not stored (IN-3); one that is too old only repeats what is known (IN-2). */
export function keepSession(parts: {
  readonly host: Pick<AdapterHost, "state" | "log">;
  readonly token: string;
  readonly signal: AbortSignal;
}): KeptSession {
  const { host, token, signal } = parts;
  let session: GatewaySession | null = null;
  let stored: (() => Promise<void>) | null = null;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const now = session;
    if (now === null || stored === null) return;
    await stored();
    // What was called off counts as settled, but is not stored.
    if (signal.aborted) return;
    await host.state.set(KEY, JSON.stringify({ ...now, bot: botPart(token) }));
  }

  function save(): Promise<void> {
    const saved = writing.then(write);
    writing = saved.catch((error: unknown) => {
      host.log.debug({ err: error }, "the gateway session could not be noted");
    });
    return saved;
  }

  function soon(): void {
    timer ??= setTimeout(() => {
      timer = null;
      // `writing` says it.
      save().catch(() => undefined);
    }, WRITE_MS).unref();
  }

  return {
    note({ t, s, d }, shardId) {
      if (shardId !== SHARD || s === null) return null;
      const before = session;
      const ready = t === "READY" ? (d as { readonly session_id: string; readonly resume_gateway_url: string }) : null;
      if (ready !== null) session = { id: ready.session_id, url: ready.resume_gateway_url, seq: s };
      else if (session !== null) session = { ...session, seq: s };
      if (stored !== null) soon();
      return ready === null ? null : before;
    },
    begin(when) {
      stored = when;
    },
    save,
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The first part of a token is the bot's id and is not secret. */
function botPart(token: string): string {
  return token.split(".")[0] ?? "";
}
