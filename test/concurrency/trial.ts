import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { startModelEmulator } from "../support/emulators/model/index.ts";
import { startTelegramEmulator } from "../support/emulators/telegram/emulator.ts";
import { type SwitchyardProcess, startSwitchyardProcess } from "../support/switchyard-process.ts";
import { brokenInvariants } from "./invariants/all.ts";
import { type Death, plannedDeaths, startFor } from "./kills.ts";
import { people } from "./people.ts";
import { AGENTS, type AgentName, configuration } from "./policy.ts";
import { readStored, type Stored } from "./stored.ts";
import { talkativeModel } from "./talkative-model.ts";
import { watchWire } from "./wire-watch.ts";

const LOOK_MS = 5;
const DRAIN_LOOK_MS = 50;
/** Updates that wait for the program, or model calls under way, before people pause: so all of a trial's calls overlap. */
const BACKLOG = 12;
/** Nothing at all happens for this long: it will not come to an end any more. */
const STALLED_MS = 40_000;

export interface TrialSize {
  readonly sessions: number;
  readonly calls: number;
  readonly kills: number;
}

export interface TrialResult {
  readonly seed: number;
  readonly seconds: number;
  /** What really happened, from the store. */
  readonly counts: Readonly<Record<string, number>>;
  /** One line for each row that breaks an invariant. */
  readonly broken: readonly string[];
}

/**
 * One program with people, bots and a model that calls tools at random by seed; killed and started again at moments the seed
 * decides, until so many sessions were there and so many calls were made. Then it comes to rest and its store is looked at.
 */
export async function runTrial(
  seed: number,
  size: TrialSize,
  options: { readonly keep?: boolean } = {},
): Promise<TrialResult> {
  const begun = performance.now();
  const wire = watchWire();
  const talkative = talkativeModel(seed, size.calls, wire);
  const telegram = await startTelegramEmulator();
  const model = await startModelEmulator({ script: talkative.script });
  const bots = botsOf((agent) => telegram.bot({ username: `${agent}_bot` }));
  const crowd = people(telegram, { seed, sessions: size.sessions, bots });
  const config = configuration({ telegram: telegram.apiRoot, model: model.url, tokenOf: (agent) => bots[agent].token });
  const folder = mkdtempSync(join(tmpdir(), "swc-"));
  const life = await openLives({ folder, config, deaths: plannedDeaths(seed, size) });
  let keep = options.keep === true;
  try {
    const backlog = (): number => AGENTS.reduce((sum, agent) => sum + bots[agent].pendingUpdates, 0);
    while (talkative.calls < size.calls || crowd.hasNew) {
      await life.goOn(talkative.calls);
      if (backlog() < BACKLOG && wire.open < BACKLOG) crowd.write(talkative.calls >= size.calls);
      await sleep(LOOK_MS);
    }
    await life.outlive(talkative.calls);
    const unfinished = await drained(folder, () => backlog(), life);
    await life.process().stop();
    const stored = readStored(folder, crowd.marks);
    const malformed = model.requests.flatMap(({ fault, index }) =>
      fault === null ? [] : [`every model request is well-formed: request ${index}: ${fault}`],
    );
    const broken = [...unfinished, ...malformed, ...wire.faults, ...life.errors(), ...brokenInvariants(stored)];
    keep ||= broken.length > 0 && process.env.CI === undefined;
    const counts = { ...countsOf(stored), lives: life.lives(), commands: crowd.commands, peak: wire.peak };
    const kept = keep ? [`the store is kept in ${folder}`] : [];
    return {
      seed,
      seconds: (performance.now() - begun) / 1_000,
      counts,
      broken: broken.length === 0 ? [] : [...broken, ...kept],
    };
  } finally {
    await life.process().kill();
    await Promise.all([telegram.stop(), model.close()]);
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

function botsOf<T>(make: (agent: AgentName) => T): Readonly<Record<AgentName, T>> {
  return { own: make("own"), tree: make("tree"), kin: make("kin"), wide: make("wide"), open: make("open") };
}

interface Lives {
  process(): SwitchyardProcess;
  lives(): number;
  /** Carries out what is due by now: a death, and the next life after one. */
  goOn(calls: number): Promise<void>;
  /** All deaths that are left, one after the other. */
  outlive(calls: number): Promise<void>;
  /** What the program itself called an error. */
  errors(): readonly string[];
}

async function openLives(given: {
  readonly folder: string;
  readonly config: object;
  readonly deaths: readonly Death[];
}): Promise<Lives> {
  const { folder, config, deaths } = given;
  const state = { lives: 0, dead: false };
  const errors: string[] = [];
  const begin = async (): Promise<SwitchyardProcess> => {
    const start = startFor(deaths[state.lives]);
    state.lives += 1;
    state.dead = false;
    // A death by a step may come before the program is ready: the next life follows.
    const process = await startSwitchyardProcess({ folder, config, ...start }).catch(() => null);
    if (process === null) return begin();
    void process.exited.then(() => {
      state.dead = true;
    });
    return process;
  };
  let current = await begin();
  const next = async (): Promise<void> => {
    await current.kill();
    errors.push(...errorsIn(current));
    current = await begin();
  };
  const goOn = async (calls: number): Promise<void> => {
    const death = deaths[state.lives - 1];
    if (state.dead) return next();
    if (death === undefined || calls < death.atCalls) return;
    await sleep(death.afterMs);
    await next();
  };
  return {
    process: () => current,
    lives: () => state.lives,
    goOn,
    outlive: async (calls) => {
      while (state.dead || state.lives <= deaths.length) {
        await sleep(50);
        await goOn(Math.max(calls, Number.MAX_SAFE_INTEGER));
      }
    },
    errors: () => [...errors, ...errorsIn(current)],
  };
}

function errorsIn(process: SwitchyardProcess): readonly string[] {
  return process.logs
    .filter((line) => line.level === "error")
    .map((line) => `the program logs no error: ${JSON.stringify(line)}`);
}

const OPEN = `
  select (select count(*) from inbox where settled_at is null and not (kind = 'notice' and state = 'waiting' and payload_json not like '%"wakes":true}'))
    + (select count(*) from turns where ended_at is null)
    + (select count(*) from runs where ended_at is null)
    + (select count(*) from completions where state = 'owed')
    + (select count(*) from exchanges where over_at is null)
    + (select count(*) from timers where task <> 'archive')
    + (select count(*) from deliveries where state in ('pending', 'sending'))`;
/** Moves with everything that happens. */
const MOVED =
  "select (select count(*) from messages) || '/' || (select count(*) from inbox where settled_at is not null) || '/' || (select count(*) from deliveries where settled_at is not null)";

/** Resolves when nothing is on its way; with what still is when nothing moves any more. */
async function drained(folder: string, backlog: () => number, life: Lives): Promise<readonly string[]> {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    let moved = "";
    let since = performance.now();
    for (;;) {
      await life.goOn(0);
      const open = Number(database.prepare(OPEN).pluck().get()) + backlog();
      if (open === 0) return [];
      const now = String(database.prepare(MOVED).pluck().get());
      if (now !== moved) since = performance.now();
      moved = now;
      if (performance.now() - since > STALLED_MS)
        return [`the work comes to its end: ${open} rows are open and nothing moves for ${STALLED_MS} ms`];
      await sleep(DRAIN_LOOK_MS);
    }
  } finally {
    database.close();
  }
}

function countsOf({
  sessions,
  messages,
  turns,
  spawned,
  exchanges,
  inbox,
  deliveries,
  parents,
}: Stored): Readonly<Record<string, number>> {
  const calls = messages.reduce(
    (sum, { parts }) => sum + parts.filter((part) => part.type === "tool_result").length,
    0,
  );
  const removed = [...parents.keys()].filter((key) => !sessions.has(key)).length;
  return {
    sessions: sessions.size + removed,
    calls,
    turns: turns.length,
    spawns: spawned.length,
    exchanges: exchanges.length,
    inputs: inbox.length,
    deliveries: deliveries.length,
  };
}
