import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { pause } from "../../../src/core/waiting.ts";
import type { Packet } from "../gateway/packets.ts";
import type { DiscordMessage } from "../inbound/event-shape.ts";
import { keepSession, leftSession } from "./kept-session.ts";
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

/** Begins at once, beside the login. */
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

  /** Such as a session whose address is none: nothing is heard of it, and the next one is kept all the same. */
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
