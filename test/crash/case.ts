import type { Beside, Flow, FlowPlace, Wanted } from "./flow.ts";
import type { Lane, Way } from "./lane.ts";
import type { Point } from "./points.ts";
import { FAREWELL, type Place } from "./stage.ts";
import {
  movingWork,
  openExchanges,
  openRows,
  openWork,
  sendingOnceNow,
  spoilWhatBegins,
  turnCount,
  unknownSends,
} from "./store-view.ts";

const FINISH_MS = 60_000;

export interface CaseResult {
  /** False: the message was through before the point came. */
  readonly died: boolean;
  readonly lost: readonly string[];
  /** What stands there beyond one of each answer: doubles and left-over previews. */
  readonly extra: readonly string[];
  /** Sends of which the store did not know whether they stand, when the process died. */
  readonly unknown: number;
  /** What happened on its way when it did not die. */
  readonly way: Way | null;
}

export interface CaseInput {
  readonly flow: Flow;
  /** null: undisturbed. */
  readonly point: Point | null;
  readonly mark: string;
}

/**
 * One person goes one flow's way, the process dies at the point and is started again. Resolves when everything has been
 * answered and nothing is on its way any more; rejects when that does not come.
 */
export async function runCase(lane: Lane, { flow, point, mark }: CaseInput): Promise<CaseResult> {
  await lane.alive();
  const own = await lane.place(flow.where ?? "dm", mark);
  const other = flow.beside === true ? await lane.placeBeside(mark) : null;
  const place = other === null ? own : withBeside(own, other.place);
  const turnsBefore = turnCount(lane.folder);
  const result = async (expected: Expected): Promise<Pick<CaseResult, "lost" | "extra">> => {
    const { lost, extra } = compared(await place.answers(), expected);
    const turns = turnCount(lane.folder) - turnsBefore;
    const isOff = flow.turns !== undefined && turns !== flow.turns;
    return { lost, extra: isOff ? [...extra, `${turns} turns, not ${flow.turns}`] : extra };
  };
  await lane.begin(mark, point);
  const watching = new AbortController();
  const { exited } = lane;
  const watched = {
    place,
    mark,
    reads: flow.reads(mark),
    mayRead: flow.mayRead?.(mark) ?? [],
    signal: watching.signal,
  };
  const doing = flow.does(personIn(lane, { watched, beside: other?.beside ?? null }), mark);
  const done = doing.then(() => finished(lane, watched));
  done.catch(() => undefined);
  const through = await Promise.race([exited.then(() => false), done.then(() => true)]);
  const way = through && (await lane.end());
  if (way !== false) return { died: false, unknown: 0, way, ...(await result(watched)) };
  watching.abort();
  const unknown = unknownSends(lane.folder);
  const still = { ...watched, ...wantedAfterDeath(lane, watched), signal: new AbortController().signal };
  await lane.restart();
  await doing;
  await finished(lane, still);
  return { died: true, unknown, way: null, ...(await result(still)) };
}

/** What had to be read, and what may have been. */
export interface Expected {
  /** Each exactly once. */
  readonly reads: readonly Wanted[];
  /** Each at most once. */
  readonly mayRead: readonly Wanted[];
}

interface Watched extends Expected {
  readonly place: Place;
  readonly mark: string;
  readonly signal: AbortSignal;
}

/** Telegram cannot say whether a farewell stands, and it is tried once (TB-6): cut off in the middle it may be missing. */
function wantedAfterDeath(lane: Lane, { reads, mayRead }: Watched): Pick<Watched, "reads" | "mayRead"> {
  if (lane.channel !== "telegram" || sendingOnceNow(lane.folder) === 0) return { reads, mayRead };
  const isFarewell = (wanted: Wanted): boolean => typeof wanted === "string" && wanted.endsWith(FAREWELL);
  return {
    reads: reads.filter((wanted) => !isFarewell(wanted)),
    mayRead: [...mayRead, ...reads.filter(isFarewell)],
  };
}

function withBeside(place: Place, beside: Place): Place {
  return {
    ...place,
    answers: async () => [...(await place.answers()), ...(await beside.answers()).map((text) => `beside: ${text}`)],
  };
}

function personIn(
  lane: Lane,
  { watched, beside }: { readonly watched: Watched; readonly beside: Beside | null },
): FlowPlace {
  const { place } = watched;
  return {
    sigil: place.sigil,
    says: (text) => place.says(text),
    saysInThread: (text) => place.saysInThread(text),
    reads: async (wanted) => {
      const deadline = performance.now() + FINISH_MS;
      while (!(await shown(place)).some((answer) => fits(answer, wanted))) {
        if (performance.now() > deadline) throw await notThrough(lane, watched, [wanted]);
        await lane.news();
      }
    },
    spoils: (word) => spoilWhatBegins(lane.folder, word),
    beside: () => {
      if (beside === null) throw new Error(`${watched.mark}: there is no conversation beside`);
      return beside;
    },
  };
}

/** Every answer stands there and the store has nothing on its way. Only then can a double no longer come. */
async function finished(lane: Lane, watched: Watched): Promise<void> {
  const { place, reads, signal } = watched;
  const deadline = performance.now() + FINISH_MS;
  while (!signal.aborted) {
    let missing: readonly Wanted[] = [];
    const moving = [...Object.values(movingWork(lane.folder)), openExchanges(lane.folder)];
    if (moving.every((count) => count === 0)) {
      const answers = await shown(place);
      missing = reads.filter((wanted) => !answers.some((answer) => fits(answer, wanted)));
      if (missing.length === 0) return;
    }
    if (performance.now() > deadline) throw await notThrough(lane, watched, missing);
    await lane.news();
  }
}

async function notThrough(lane: Lane, { place, mark }: Watched, missing: readonly Wanted[]): Promise<Error> {
  const open = JSON.stringify(openWork(lane.folder));
  const there = JSON.stringify(await shown(place));
  const rest = [...openRows(lane.folder), ...lane.logs()].join("\n");
  return new Error(`${mark}: not through. Missing ${missing.map(String)}, there is ${there}, open ${open}\n${rest}`);
}

/** Nothing while the web page's process is away. */
async function shown(place: Place): Promise<readonly string[]> {
  try {
    return await place.answers();
  } catch (error) {
    if (error instanceof TypeError) return [];
    throw error;
  }
}

/** What is missing of the wanted, and what stands there beyond one of each. */
export function compared(answers: readonly string[], { reads, mayRead }: Expected): Pick<CaseResult, "lost" | "extra"> {
  const extra = [...answers];
  const lost = reads.filter((wanted) => !takeOut(extra, wanted)).map(String);
  for (const allowed of mayRead) takeOut(extra, allowed);
  return { lost, extra };
}

function takeOut(texts: string[], wanted: Wanted): boolean {
  const at = texts.findIndex((text) => fits(text, wanted));
  if (at >= 0) texts.splice(at, 1);
  return at >= 0;
}

export function fits(text: string, wanted: Wanted): boolean {
  return typeof wanted === "string" ? text === wanted : wanted.test(text);
}
