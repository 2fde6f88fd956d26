import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { Packet } from "../gateway/packets.ts";
import type { GatewaySession } from "./replay.ts";

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

/** The first part of a token names the bot and is no secret. */
function botPart(token: string): string {
  return token.split(".")[0] ?? "";
}
