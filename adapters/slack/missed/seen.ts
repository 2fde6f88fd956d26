import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { PlaceKind } from "../address.ts";

const MOST_KEPT = 300;
/** Being behind in a known place costs only events that are asked for twice, so it is written seldom. */
const WRITE_AFTER_MS = 2_000;
/** A place that is not known after a death is not asked about at all. */
const WRITE_NEW_AFTER_MS = 10;

/** A conversation, or a thread of it, and the newest message of it that is stored. */
export interface SeenPlace {
  readonly channel: string;
  readonly threadTs: string | null;
  readonly ts: string;
  readonly kind: PlaceKind;
}

export interface Seen {
  /** Called only when the event is stored: a watermark never passes one that is not (IN-3). */
  note(event: InboundEvent): void;
  /** A thread that the bot began; what is said in it is asked for later, too. */
  noteThread(channel: string, threadTs: string): void;
  places(): readonly SeenPlace[];
  /** Writes what was noted. */
  flush(): Promise<void>;
}

/** How far each conversation was read (IN-14); kept by the bot's own id. */
export async function openSeen(host: AdapterHost, botId: string): Promise<Seen> {
  const key = `seen:${botId}`;
  const known = new Map(parse(await host.state.get(key)).map((place) => [nameOf(place), place]));
  let timer: NodeJS.Timeout | null = null;
  let due = Number.POSITIVE_INFINITY;
  let changed = false;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    due = Number.POSITIVE_INFINITY;
    if (!changed) return;
    changed = false;
    try {
      await host.state.set(key, JSON.stringify([...known.values()]));
    } catch (error) {
      changed = true;
      host.log.debug({ err: error }, "how far Slack was read could not be stored");
    }
  }

  function writeIn(ms: number): void {
    const at = performance.now() + ms;
    if (at >= due) return;
    if (timer !== null) clearTimeout(timer);
    due = at;
    timer = setTimeout(() => void flush(), ms).unref();
  }

  function add(place: SeenPlace): void {
    const name = nameOf(place);
    const before = known.get(name);
    if (before !== undefined && before.ts >= place.ts) return;
    known.delete(name);
    known.set(name, place);
    const oldest = known.keys().next();
    if (known.size > MOST_KEPT && oldest.done !== true) known.delete(oldest.value);
    changed = true;
    writeIn(before === undefined ? WRITE_NEW_AFTER_MS : WRITE_AFTER_MS);
  }

  return {
    note({ route, identity, peer, thread }) {
      const kind = peer.kind === "direct" ? "im" : peer.kind === "group" ? "mpim" : "channel";
      const { messageId: ts } = identity;
      add({ channel: route.to, threadTs: route.threadId, ts, kind });
      // The history of a channel does not show what hangs on a message of it.
      if (thread.kind === "root") add({ channel: route.to, threadTs: thread.id, ts, kind });
    },
    noteThread(channel, threadTs) {
      const kind = known.get(nameOf({ channel, threadTs: null }))?.kind ?? "channel";
      add({ channel, threadTs, ts: threadTs, kind });
    },
    places: () => [...known.values()],
    flush,
  };
}

function nameOf({ channel, threadTs }: Pick<SeenPlace, "channel" | "threadTs">): string {
  return `${channel}/${threadTs ?? ""}`;
}

function parse(text: string | null): readonly SeenPlace[] {
  if (text === null) return [];
  const value: unknown = JSON.parse(text);
  // Written by this very file.
  return Array.isArray(value) ? (value as SeenPlace[]) : [];
}
