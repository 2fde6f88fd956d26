import { CHANNELS, type Channel } from "../crash/stage.ts";
import type { TalkRecord } from "./account.ts";
import type { Ground } from "./ground.ts";
import { marksIn } from "./marks.ts";
import type { ScriptedFault } from "./script.ts";
import type { Talk, UnansweredSend } from "./stand.ts";

/** What a swap lets slip: a message said right before or after it may be one of the two. */
const SWAP_MS = 100;

/** One conversation while it goes on. */
export interface RunningTalk {
  readonly channel: Channel;
  readonly name: string;
  readonly talk: Talk;
  readonly said: string[];
  /** Of each mark when it was said, milliseconds after the beginning. */
  readonly times: Map<string, number>;
}

export interface Played {
  readonly talks: readonly RunningTalk[];
  readonly faults: readonly ScriptedFault[];
  /** Telegram's sends of which nobody knew when the program died or its clock jumped. */
  readonly unknown: readonly UnansweredSend[];
}

/** What there is to account for, as it stands now. */
export async function recordsOf(
  { stands }: Ground,
  { talks, faults, unknown }: Played,
): Promise<readonly TalkRecord[]> {
  const doubtful = Map.groupBy([...unknown, ...stands.telegram.unanswered()], ({ to }) => to);
  const swaps = new Map(CHANNELS.map((channel) => [channel, swapsOn(channel, faults)]));
  return Promise.all(
    talks.map(async ({ channel, name, talk, said, times }): Promise<TalkRecord> => {
      const own = channel === "telegram" ? (doubtful.get(talk.to) ?? []) : [];
      const wasSwapped = (mark: string): boolean => {
        const at = times.get(mark) ?? 0;
        return swaps.get(channel)?.some((one) => one.from <= at && at <= one.to) === true;
      };
      return {
        channel,
        name,
        said,
        reads: await talk.reads(),
        mayDouble: new Set(own.flatMap(({ text }) => marksIn(text))),
        mayLeavePreview: own.length > 0,
        mayBeReversed: (first, second) =>
          stands[channel].mayComeLate(first) || (wasSwapped(first) && wasSwapped(second)),
      };
    }),
  );
}

/** Telegram's updates are numbered and come in batches: there the order can be seen, and has to be kept. */
function swapsOn(channel: Channel, faults: readonly ScriptedFault[]): readonly { from: number; to: number }[] {
  if (channel === "telegram") return [];
  return faults.flatMap((one) =>
    one.on === channel && one.fault === "reorder" ? [{ from: one.at - SWAP_MS, to: one.at + one.for + SWAP_MS }] : [],
  );
}
