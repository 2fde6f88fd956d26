import { channel } from "node:diagnostics_channel";
import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Transaction } from "kysely";
import { StoreError } from "../../core/errors.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import { storeNotKept, storeReplaced } from "../../core/texts/store/outcomes.ts";
import type { Schema } from "../schema.ts";
import type { Durability, Read, Step, Store } from "../store.ts";
import { createWorkNotes, type WorkListener } from "../watched-store.ts";
import { DiskFlush, kyselyOn } from "./sqlite-driver.ts";
import { sqliteError } from "./sqlite-errors.ts";

export interface SqliteOptions {
  /** A file path, created with its folder when missing. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told after every commit how long the batch took. */
  readonly onStep?: (name: string, durationMs: number) => void;
}

/** Tells the callers: about the work immediately, about the result when `onDisk` resolves; null: immediately too. */
type Tell = (onDisk: Promise<void> | null) => void;

interface Waiting {
  readonly durability: Durability;
  readonly name: string;
  readonly run: () => Promise<Tell>;
  readonly fail: (error: unknown) => void;
}

/**
 * Each step by name: after its writes, before the commit; and after the commit, before its caller is told. For tracing, and
 * for tests that end the process there.
 */
const committingSteps = channel("switchyard:step-committing");
const committedSteps = channel("switchyard:step-committed");

/** Steps of one batch share one commit; bounded, so that the first of a burst does not wait for all of it. */
const MAX_BATCH = 64;

/** Reads are many and change nothing; looking this often is enough for `/healthz`. */
const LOOK_MS = 1_000;

/** null: there is no such file. */
function identityOf(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** Runs a read and maps what the driver throws. */
export async function guarded<T>(work: () => Promise<T>, file: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sqliteError(error, file);
  }
}

function publish(at: typeof committedSteps, steps: readonly Pick<Waiting, "name">[]): void {
  if (at.hasSubscribers) for (const { name } of steps) at.publish({ name });
}

/** The store on an open connection; `openSqliteStore` opens it and tells the contract. */
export class SqliteStore implements Store {
  readonly #database: Database.Database;
  readonly #options: SqliteOptions;
  readonly #db: Transaction<Schema>;
  readonly #disk: DiskFlush;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #savepoint: Database.Statement;
  readonly #release: Database.Statement;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #batch: Promise<unknown> = Promise.resolve();
  #refusal: StoreError | null = null;
  /** Which file the connection is open on; null: none to look at (FC-321). */
  readonly #identity: string | null;
  #lookedAt = 0;
  #listener: WorkListener = () => undefined;

  constructor(database: Database.Database, options: SqliteOptions) {
    this.#database = database;
    this.#options = options;
    // The engine opens the transaction itself, so the handle a step gets is inside one.
    this.#db = kyselyOn(database) as unknown as Transaction<Schema>;
    this.#identity = identityOf(options.file);
    this.#disk = new DiskFlush(`${options.file}-wal`);
    this.#begin = database.prepare("begin immediate");
    this.#commit = database.prepare("commit");
    this.#savepoint = database.prepare("savepoint step");
    this.#release = database.prepare("release step");
  }

  onWork(listener: WorkListener): void {
    this.#listener = listener;
  }

  /**
   * On the one connection: another one would read its pages again after every commit. A read never sees a step that is not
   * committed: it waits for the batch that runs, which takes no longer than its SQL. It awaits only SQL itself, so it is
   * over before the next macrotask, in which a batch may begin.
   */
  async read<I, O>(read: Read<I, O>, input: I): Promise<O> {
    if (this.#database.inTransaction) await this.#batch;
    if (performance.now() - this.#lookedAt > LOOK_MS) this.#sameFile();
    return guarded(() => read.run(this.#db, input, "sqlite"), this.#options.file);
  }

  step<I, O>(step: Step<I, O>, input: I): Promise<O> {
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    return new Promise<O>((resolve, reject) => {
      const fail = (error: unknown): void => reject(sqliteError(error, this.#options.file));
      this.#waiting.push({
        durability: step.durability,
        name: step.name,
        run: async () => {
          const now = this.#options.clock.now();
          const work = createWorkNotes(this.#db, now);
          const output = await step.run({ db: this.#db, now, enqueue: work.enqueue }, input);
          await work.keep();
          return (onDisk) => {
            if (onDisk === null) resolve(output);
            else onDisk.then(() => resolve(output), reject);
            work.tell(this.#listener);
          };
        },
        fail,
      });
      this.#draining ??= this.#drain();
    });
  }

  onDisk(): Promise<void> {
    return this.#disk.asked().catch((error) => this.#refuse(error));
  }

  async close(): Promise<void> {
    await this.#draining;
    try {
      await this.#disk.close();
    } finally {
      this.#database.close();
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One macrotask later: steps asked for by handlers of the same I/O round join the batch, and reads are over.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const startedAt = performance.now();
      const running = this.#commitBatch(batch);
      this.#batch = running;
      const settle = await running;
      for (const done of settle) done();
      const took = performance.now() - startedAt;
      for (const { name } of batch) this.#options.onStep?.(name, took);
    }
    this.#draining = null;
  }

  /** Runs a batch in one transaction. No caller is told anything before the commit: what is told must be true after a crash. */
  async #commitBatch(batch: readonly Waiting[]): Promise<(() => void)[]> {
    const done: { readonly step: Waiting; readonly tell: Tell }[] = [];
    const failed: (() => void)[] = [];
    try {
      this.#sameFile();
      this.#begin.run();
      for (const step of batch) {
        // SQLite ends the whole transaction by itself on some errors (a full disk). A savepoint after that would begin one
        // and commit it, although all callers are told below that nothing happened.
        if (!this.#database.inTransaction) break;
        try {
          if (batch.length > 1) this.#savepoint.run();
          done.push({ step, tell: await step.run() });
          if (batch.length > 1) this.#release.run();
        } catch (error) {
          // A batch of one needs no savepoint: taking the step back is taking the transaction back.
          if (batch.length === 1) throw error;
          this.#undoStep();
          failed.push(() => step.fail(error));
        }
      }
      if (!this.#database.inTransaction) throw new Error("SQLITE_FULL: the transaction was rolled back");
      publish(committingSteps, batch);
      this.#commit.run();
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("rollback");
      return batch.map((step) => () => step.fail(error));
    }
    publish(committedSteps, batch);
    const onDisk = done.some(({ step }) => step.durability !== "normal") ? this.#flush() : null;
    return [
      ...done.map(
        ({ step, tell }) =>
          () =>
            tell(step.durability === "full" ? onDisk : null),
      ),
      ...failed,
    ];
  }

  /** What is written into a file that was removed or replaced is gone at the next start, so it must not be acknowledged. */
  #sameFile(): void {
    if (this.#identity === null || identityOf(this.#options.file) === this.#identity) {
      this.#lookedAt = performance.now();
      return;
    }
    throw new StoreError("store_missing", storeReplaced(this.#options.file), { retryable: true });
  }

  #flush(): Promise<void> {
    const flushed = this.#disk.flush().catch((error) => this.#refuse(error));
    // Waiting for it is optional; a caller who waits gets the failure, and so does every later step.
    flushed.catch(() => undefined);
    return flushed;
  }

  /** What was committed is perhaps not on the disk and must not be built upon: no step runs any more. */
  #refuse(error: unknown): never {
    const why = error instanceof Error ? error.message : String(error);
    const message = storeNotKept(this.#options.file, why);
    this.#refusal ??= new StoreError("store_unavailable", message, { retryable: false, cause: error });
    throw this.#refusal;
  }

  #undoStep(): void {
    if (this.#database.inTransaction) this.#database.exec("rollback to step; release step");
  }
}
