import { createConnection } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TOO_LATE } from "../../src/core/texts/platforms/accounts.ts";
import type { Breaks, Broken, Sending, Trouble } from "../crash/breaks.ts";
import { compared, fits } from "../crash/case.ts";
import type { Wanted } from "../crash/flow.ts";
import type { Place, Stage } from "../crash/stage.ts";
import { deliveryStates, movingWork, openRows } from "../crash/store-view.ts";
import { CALLED, type Cell, sceneOf } from "./cells.ts";
import { BEGINNING, type WatchedModel } from "./model.ts";

const PATIENCE_MS = 60_000;
const LOOK_MS = 50;

/** How the program is started so that its clock can be moved. */
export const SKIPPABLE = {
  nodeArgs: ["--import", fileURLToPath(new URL("./skip-time.ts", import.meta.url))],
  env: { SKIP_TIME_SOCKET: "skip.sock" },
} as const;

/** What a cell came to. */
export interface Outcome {
  /** How many requests the fault has met. */
  readonly hits: number;
  readonly lost: readonly string[];
  /** What stands there beyond one of each. */
  readonly extra: readonly string[];
  readonly reads: readonly Wanted[];
  readonly inOrder: boolean;
  /** What could be read while it was broken. */
  readonly meanwhile: readonly string[];
  readonly deliveries: readonly string[];
}

/** One cell under way: a conversation of its own. */
export interface Running {
  readonly cell: Cell;
  readonly place: Place;
  readonly mark: string;
  readonly broken: Broken;
  readonly reads: readonly Wanted[];
  readonly mayRead: readonly Wanted[];
}

/** One platform with its program on which many cells are gone at once. */
export interface Ground {
  readonly stage: Stage;
  readonly breaks: Breaks;
  readonly model: WatchedModel;
}

export interface Fault {
  readonly what: Trouble;
  readonly times: number;
  /** Default: what the scene is about. */
  readonly sending?: Sending;
}

/** Breaks what the cell is about, and lets the person begin. */
export async function begin({ stage, breaks, model }: Ground, cell: Cell, fault: Fault): Promise<Running> {
  const { does, sending, after } = sceneOf(cell);
  const mark = `m${cell.channel}${cell.kind}${cell.fault}`.replaceAll("_", "");
  const place = await stage.place(does.where ?? "dm", mark);
  const broken = breaks.fails(place.to, fault.what, {
    times: fault.times,
    ...(fault.sending === undefined ? { sending, after } : { sending: fault.sending, after: 0 }),
  });
  const reads = async (): Promise<void> => Promise.reject(new Error("nothing is waited for within a scene"));
  const beside = (): never => {
    throw new Error("a scene has one conversation");
  };
  const spoils = (): never => {
    throw new Error("a scene spoils nothing");
  };
  const called = CALLED[cell.kind];
  if (called === undefined) await does.does({ ...place, reads, beside, spoils }, mark);
  else await calls(place, called.command);
  if (cell.kind === "edit") {
    await until(async () => (await place.answers()).some((text) => text.startsWith(BEGINNING)));
    model.gateOf(mark).open();
  }
  return { cell, place, mark, broken, reads: does.reads(mark), mayRead: does.mayRead?.(mark) ?? [] };
}

/** Menus are registered a moment after the account is ready; before, the platform's client lets nobody call one. */
async function calls(place: Place, command: string): Promise<void> {
  if (place.uses === undefined) throw new Error("there are no native commands here");
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await place.uses(command);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

export async function until(look: () => boolean | Promise<boolean>, within = PATIENCE_MS): Promise<boolean> {
  const deadline = performance.now() + within;
  while (!(await look())) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

/** Resolves when each fault has met its request. */
export async function allHit(all: readonly Running[]): Promise<void> {
  if (await until(() => all.every(({ broken }) => broken.hits() > 0))) return;
  const missing = all.filter(({ broken }) => broken.hits() === 0).map(({ cell }) => cell.name);
  throw new Error(`never sent: ${missing.join("; ")}`);
}

/** Everything that comes has come: each answer stands, and nothing is on its way in the store. */
export function isThrough({ stage }: Ground, all: readonly Running[]): () => Promise<boolean> {
  return async () => {
    if (Object.values(movingWork(stage.bridge.process.folder)).some((count) => count > 0)) return false;
    const whole = await Promise.all(all.map(async (one) => one.broken.hits() > 0 && (await isWhole(one))));
    return whole.every(Boolean);
  };
}

async function isWhole({ cell, place, reads }: Running): Promise<boolean> {
  if (cell.fault === "conversation_gone") return true;
  const there = await place.answers();
  if (cell.holds === "a line instead" && there.includes(TOO_LATE)) return true;
  return reads.every((wanted) => there.some((text) => fits(text, wanted)));
}

export async function outcomeOf({ stage }: Ground, one: Running, meanwhile: readonly string[] = []): Promise<Outcome> {
  const { place, broken, reads, mayRead } = one;
  const { folder } = stage.bridge.process;
  const there = await place.answers();
  const deliveries = deliveryStates(folder, place.to);
  const isOpen = deliveries.some((state) => state === "pending" || state === "sending");
  const at = reads.map((wanted) => there.findIndex((text) => fits(text, wanted))).filter((index) => index >= 0);
  return {
    hits: broken.hits(),
    ...compared(there, { reads, mayRead }),
    reads,
    inOrder: at.every((index, order) => order === 0 || index > (at[order - 1] ?? -1)),
    meanwhile,
    deliveries: isOpen ? [...deliveries, ...openRows(folder)] : deliveries,
  };
}

/** Lets the program's clock run ahead. */
export function skip({ bridge }: Pick<Stage, "bridge">, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(join(bridge.process.folder, SKIPPABLE.env.SKIP_TIME_SOCKET));
    socket.once("connect", () => socket.write(String(ms)));
    socket.once("data", () => resolve());
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the program is gone")));
  });
}
