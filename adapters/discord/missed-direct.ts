import type { AdapterHost } from "../../src/channel/adapter.ts";
import { pause } from "../../src/channel/backoff.ts";
import type { DiscordMessage } from "./event-shape.ts";
import { keepSession, leftSession } from "./kept-session.ts";
import type { Packet } from "./packets.ts";
import { type Replay, replay } from "./replay.ts";

/** How long the first greeting waits for what was missed, so that it comes before what is said now. */
const HEAD_START_MS = 300;

/** Hears the direct messages that an earlier run has missed, and leaves the next run what it needs for that (IN-14). */
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

/** Begins at once, beside the login. */
export function hearMissedDirect(parts: {
  readonly host: Pick<AdapterHost, "state" | "log">;
  readonly token: string;
  readonly signal: AbortSignal;
}): MissedDirect {
  const { host, token, signal } = parts;
  const kept = keepSession(parts);
  const opened = open().catch((error: unknown) => {
    host.log.debug({ err: error }, "what was missed in direct messages cannot be asked for");
    return null;
  });

  async function open(): Promise<Replay | null> {
    const left = await leftSession(host, token);
    return left === null || signal.aborted ? null : replay(left, { token, log: host.log });
  }

  /** Two sessions listen until the new one is on disk: whenever the process dies, one of them can be taken up. */
  async function handOver(old: Replay | null, stored: () => Promise<void>): Promise<void> {
    await old?.done;
    await kept.begin(stored);
    old?.end(true);
  }

  return {
    note: kept.note,
    async begin({ take, stored }) {
      const old = await opened;
      if (old !== null) await Promise.race([old.done, pause(HEAD_START_MS, signal)]);
      old?.deliver(take);
      void handOver(old, stored);
    },
    end() {
      kept.end();
      void opened.then((old) => old?.end(false));
    },
  };
}
