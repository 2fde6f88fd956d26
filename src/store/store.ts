import type { Kysely, Transaction } from "kysely";
import type { Clock, Logger } from "../core/runtime.ts";
import type { TaskName } from "../work/work-queue.ts";
import type { Schema } from "./schema.ts";

/** The two databases the same steps and migrations run on. */
export type Dialect = "sqlite" | "postgres";

/** What a step may use: its own transaction and nothing else. It awaits only SQL. */
export interface StepContext {
  readonly db: Transaction<Schema>;
  /** The database's own time is never used; a step's time is given in its input or read here once. */
  readonly now: number;
  /**
   * Says that work is due once the step is committed. With `at` in the future a row keeps it over restarts (SB-4);
   * without, the work is found again from the rows themselves.
   */
  enqueue(task: TaskName, key: string, at?: number): void;
}

/**
 * `full`: on disk before it resolves, because the outside is told afterwards. `soon`: on its way there when it resolves.
 * `normal`: survives the process, not the power.
 */
export type Durability = "full" | "soon" | "normal";

/** The only writer: one named transaction. */
export interface Step<I, O> {
  readonly name: string;
  readonly durability: Durability;
  run(context: StepContext, input: I): Promise<O>;
}

export interface Read<I, O> {
  readonly name: string;
  run(db: Kysely<Schema>, input: I, dialect: Dialect): Promise<O>;
}

export function defineStep<I, O>(
  name: string,
  durability: Durability,
  run: (context: StepContext, input: I) => Promise<O>,
): Step<I, O> {
  return { name, durability, run };
}

/** `dialect`: for the few reads whose SQL the two databases do not share; callers never branch on it. */
export function defineRead<I, O>(
  name: string,
  run: (db: Kysely<Schema>, input: I, dialect: Dialect) => Promise<O>,
): Read<I, O> {
  return { name, run };
}

/** PORT: persistence. `step` rejects with a StoreError; a rejected step has changed nothing. */
export interface Store {
  step<I, O>(step: Step<I, O>, input: I): Promise<O>;
  read<I, O>(read: Read<I, O>, input: I): Promise<O>;
  /**
   * Resolves when every `full` or `soon` step that is committed is on disk too. For callers that pass on what they read: a
   * read may see such a step a little earlier.
   */
  onDisk(): Promise<void>;
  /** Told after each commit which work became due. Set once, at composition. */
  onWork(listener: (task: TaskName, key: string, at: number | undefined) => void): void;
  close(): Promise<void>;
}

/** PORT: the store as a file, for the command line, which also works while no program runs. A StoreError names the file. */
export interface StoreFiles {
  /** Creates the file when it is missing and migrates it, after a backup. */
  open(file: string, options: { readonly clock: Clock; readonly log: Logger }): Promise<Store>;
  /** Reads beside a running program too; rejects with `store_missing` when there is no file. */
  openForReading(file: string): Promise<Pick<Store, "read" | "close">>;
  /** Copies a store, also while it is written to; resolves when the copy is complete. */
  backup(file: string, target: string): Promise<void>;
  /** What an integrity check finds wrong; empty when the file is sound. */
  faults(file: string): readonly string[];
}
