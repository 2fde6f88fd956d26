import type { Transaction } from "kysely";
import { isStoreTrouble, type StoreError } from "../core/errors.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { backoffMs, pause } from "../core/time.ts";
import type { TaskName } from "../work/work-queue.ts";
import { oldestWaitingInput } from "./reads/upkeep/open-work.ts";
import type { Schema } from "./schema.ts";
import { probeStore, removeProbe } from "./steps/upkeep/probe-store.ts";
import type { Store } from "./store.ts";

export interface StoreHealth {
  readonly ok: boolean;
  /** What is wrong, with the file and what to do; null when nothing is. For the operator. */
  readonly error: string | null;
}

export interface WatchedStore extends Store {
  /** Whether it can be read and, as far as is known, written. Some time after a write failed, looking tries one (OP-10). */
  health(): Promise<StoreHealth>;
}

/** Refused callers retry within this time; on a nearly full disk small steps succeed in between. */
const TROUBLE_LASTS_MS = 5_000;

/**
 * A store that tells the operator once when it cannot be used and once when it can be again (OP-10): callers that were refused
 * tries again by itself, so without this the reason would be spread over many lines or, on `/healthz`, not be seen at all.
 */
export function watchStore(
  store: Store,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WatchedStore {
  let trouble: { readonly error: StoreError; readonly at: number } | null = null;

  const isFresh = (): boolean => trouble !== null && clock.now() - trouble.at < TROUBLE_LASTS_MS;

  async function watched<T>(call: Promise<T>, proves: boolean): Promise<T> {
    try {
      const result = await call;
      if (proves && trouble !== null && !isFresh()) {
        trouble = null;
        log.info({}, "the store can be used again");
      }
      return result;
    } catch (error) {
      if (isStoreTrouble(error)) {
        if (trouble?.error.code !== error.code) log.error({ code: error.code }, error.message);
        trouble = { error, at: clock.now() };
      }
      throw error;
    }
  }

  const step: Store["step"] = (wanted, input) => watched(store.step(wanted, input), wanted.durability === "full");
  const read: Store["read"] = (wanted, input) => watched(store.read(wanted, input), false);

  return {
    step,
    read,
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
    health: async () => {
      try {
        await read(oldestWaitingInput, undefined);
        if (trouble !== null && isFresh()) return { ok: false, error: trouble.error.message };
        if (trouble !== null) {
          await step(probeStore, undefined);
          await step(removeProbe, undefined);
        }
        return { ok: true, error: null };
      } catch (error) {
        return { ok: false, error: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

const WAITS = { firstMs: 500, longestMs: 4_000 } as const;

export interface Patience {
  /** Gives up, with the last error. */
  readonly signal: AbortSignal;
  /** One line per try, with the reason. */
  readonly log: Logger;
}

/**
 * Calls again until the store is back (OP-10), for work that has something to lose: a model's answer that was paid for is
 * kept until it can be stored, and a full disk never uses up the three begins of a turn (TN-2). What was rejected has changed
 * nothing, so trying it again is safe. `signal`: gives up, with the last error.
 */
export async function patiently<T>(call: () => Promise<T>, { signal, log }: Patience): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isStoreTrouble(error) || !error.retryable) throw error;
      const wait = backoffMs(WAITS, failures);
      log.warn({ code: error.code, retryInMs: wait }, error.message);
      await pause(wait, signal);
      if (signal.aborted) throw error;
    }
  }
}

/** A store whose steps and reads are called `patiently`. */
export function patientStore(store: Store, patience: Patience): Store {
  return {
    step: (step, input) => patiently(() => store.step(step, input), patience),
    read: (read, input) => patiently(() => store.read(read, input), patience),
    onDisk: () => store.onDisk(),
    onWork: (listener) => store.onWork(listener),
    close: () => store.close(),
  };
}

export type WorkListener = (task: TaskName, key: string, at: number | undefined) => void;

export interface WorkNotes {
  enqueue(task: TaskName, key: string, at?: number): void;
  /** Writes the timers inside the step's transaction; a later note for the same task and key replaces the time. */
  keep(): Promise<void>;
  /** Tells the listener, after the commit. */
  tell(listener: WorkListener): void;
}

/** Tasks whose time is nowhere else (SB-4): a turn is found from the inbox, a send from the outbox's own `next_at`. */
const KEPT: readonly TaskName[] = ["run-timeout", "archive", "binding-expiry", "admit-held", "release", "maintenance"];

/** Collects what a step makes due. Work due now needs no row: it is found again from the inbox and the outbox. */
export function createWorkNotes(db: Transaction<Schema>, now: number): WorkNotes {
  const notes: { task: TaskName; key: string; at: number | undefined }[] = [];
  return {
    enqueue: (task, key, at) => void notes.push({ task, key, at: at !== undefined && at > now ? at : undefined }),
    keep: async () => {
      for (const { task, key, at } of notes) {
        if (at === undefined || !KEPT.includes(task)) continue;
        await db
          .insertInto("timers")
          .values({ task, key, due_at: at })
          .onConflict((conflict) => conflict.columns(["task", "key"]).doUpdateSet({ due_at: at }))
          .execute();
      }
    },
    tell: (listener) => {
      for (const { task, key, at } of notes) listener(task, key, at);
    },
  };
}
