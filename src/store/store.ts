import type { Kysely, Transaction } from "kysely";
import type { TaskName } from "../work/work-queue.ts";
import type { Schema } from "./schema.ts";

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
  run(db: Kysely<Schema>, input: I): Promise<O>;
}

export function defineStep<I, O>(
  name: string,
  durability: Durability,
  run: (context: StepContext, input: I) => Promise<O>,
): Step<I, O> {
  return { name, durability, run };
}

export function defineRead<I, O>(name: string, run: (db: Kysely<Schema>, input: I) => Promise<O>): Read<I, O> {
  return { name, run };
}

/** The two databases the same steps and migrations run on. */
export type Dialect = "sqlite" | "postgres";

/** PORT: persistence. `step` rejects with a StoreError; a rejected step has changed nothing. */
export interface Store {
  readonly dialect: Dialect;
  step<I, O>(step: Step<I, O>, input: I): Promise<O>;
  read<I, O>(read: Read<I, O>, input: I): Promise<O>;
  /**
   * Resolves when every `full` or `soon` step that is committed is on disk too. For whoever tells the outside something it read: a
   * read may see such a step a little earlier.
   */
  onDisk(): Promise<void>;
  /** Told after each commit which work became due. Set once, at composition. */
  onWork(listener: (task: TaskName, key: string, at: number | undefined) => void): void;
  close(): Promise<void>;
}
