import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { bornAt, compareIds, idAt } from "../address.ts";

/** Guilds tell their events nearly in the order of the ids; so much of what was seen is looked at again (IN-2 makes that harmless). */
const OVERLAP_MS = 60_000;
/** Written no more often than this: a mark that is too old costs some reading. */
const WRITE_MS = 10_000;
/** Older messages are not looked for: identities are kept for 7 days, so nothing can come twice (IN-2). */
const OLDEST_MS = 24 * 3_600_000;

/** How far an account has seen in each guild, over all of its channels (IN-14). */
export interface Horizon {
  /** Messages of the guild up to this one were seen, or need not be. `joinedAt`: when the bot came, in milliseconds. */
  after(guildId: string, joinedAt: number): string;
  /**
   * Something of the guild, no older than this id, is on its way in: the mark stays before it until the result is called.
   * `upTo`: the newest of it; default: the same.
   */
  hold(guildId: string, id: string): (upTo?: string) => void;
}

interface Guild {
  /** Oldest ids that are not stored yet. */
  readonly held: Set<{ readonly id: string }>;
  newest: string;
}

/**
 * Finds conversations in which the account has never seen anything: everything after the mark may be new in them. The mark
 * never passes a message that is not stored (IN-3). The very first start begins with now, so that no history is answered.
 */
export async function openHorizon(
  host: Pick<AdapterHost, "state" | "platformClock" | "log">,
  botId: string,
): Promise<Horizon> {
  const key = `horizon:${botId}`;
  const saved = readMarks(await host.state.get(key));
  const begun = saved?.begun ?? idAt(host.platformClock.now());
  const marks = new Map(saved?.guilds ?? []);
  const guilds = new Map<string, Guild>();
  let writtenAt = 0;
  if (saved === null) await write();

  async function write(): Promise<void> {
    writtenAt = host.platformClock.now();
    await host.state.set(key, JSON.stringify({ begun, guilds: Object.fromEntries(marks) }));
  }

  function guildOf(guildId: string): Guild {
    const known = guilds.get(guildId) ?? { held: new Set(), newest: marks.get(guildId) ?? begun };
    guilds.set(guildId, known);
    return known;
  }

  function advance(guildId: string, guild: Guild): void {
    const safe = [...guild.held].reduce((oldest, { id }) => older(oldest, id), guild.newest);
    const mark = idAt(bornAt(safe) - OVERLAP_MS);
    if (compareIds(mark, marks.get(guildId) ?? begun) <= 0) return;
    marks.set(guildId, mark);
    if (host.platformClock.now() - writtenAt < WRITE_MS) return;
    write().catch((error: unknown) => host.log.debug({ err: error }, "how far Discord was read could not be noted"));
  }

  return {
    after(guildId, joinedAt) {
      const mark = marks.get(guildId) ?? later(begun, idAt(joinedAt));
      return later(mark, idAt(host.platformClock.now() - OLDEST_MS));
    },
    hold(guildId, id) {
      const guild = guildOf(guildId);
      const mine = { id };
      guild.held.add(mine);
      return (upTo = id) => {
        guild.held.delete(mine);
        guild.newest = later(guild.newest, upTo);
        advance(guildId, guild);
      };
    },
  };
}

function older(a: string, b: string): string {
  return compareIds(a, b) <= 0 ? a : b;
}

function later(a: string, b: string): string {
  return compareIds(a, b) >= 0 ? a : b;
}

interface Marks {
  readonly begun: string;
  readonly guilds: readonly (readonly [string, string])[];
}

function readMarks(text: string | null): Marks | null {
  if (text === null) return null;
  const { begun, guilds } = JSON.parse(text) as { readonly begun: string; readonly guilds: Record<string, string> };
  return { begun, guilds: Object.entries(guilds) };
}
