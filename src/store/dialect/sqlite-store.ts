import { channel } from "node:diagnostics_channel";
import type Database from "better-sqlite3";
import type { Transaction } from "kysely";
import type { Schema } from "../schema.ts";
import type { Read, Step, Store } from "../store.ts";
import { createWorkNotes, type WorkListener } from "../work-notes.ts";
import type { SqliteOptions } from "./sqlite.ts";
import { kyselyOn } from "./sqlite-driver.ts";
import { sqliteError } from "./sqlite-errors.ts";

interface Waiting {
  readonly durability: "full" | "normal";
  readonly name: string;
  readonly run: () => Promise<() => void>;
  readonly fail: (error: unknown) => void;
}

/**
 * Each step by name: its writes are made and not committed; and committed, before anybody is told of it. For tracing, and
 * for tests that end the process there.
 */
const committingSteps = channel("switchyard:step-committing");
const committedSteps = channel("switchyard:step-committed");

/** Steps of one batch share one commit; bounded, so that the first of a burst does not wait for all of it. */
const MAX_BATCH = 64;

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

/** The store on two open connections; `openSqliteStore` opens them and tells the contract. */
export class SqliteStore implements Store {
  readonly dialect = "sqlite";
  readonly #writer: Database.Database;
  readonly #reader: Database.Database;
  readonly #options: SqliteOptions;
  readonly #db: Transaction<Schema>;
  readonly #readDb: ReturnType<typeof kyselyOn>;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #savepoint: Database.Statement;
  readonly #release: Database.Statement;
  #synchronous: "full" | "normal" = "full";
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #listener: WorkListener = () => undefined;

  constructor(writer: Database.Database, reader: Database.Database, options: SqliteOptions) {
    this.#writer = writer;
    this.#reader = reader;
    this.#options = options;
    // The engine opens the transaction itself, so the handle a step gets is inside one.
    this.#db = kyselyOn(writer) as unknown as Transaction<Schema>;
    this.#readDb = kyselyOn(reader);
    this.#begin = writer.prepare("begin immediate");
    this.#commit = writer.prepare("commit");
    this.#savepoint = writer.prepare("savepoint step");
    this.#release = writer.prepare("release step");
  }

  onWork(listener: WorkListener): void {
    this.#listener = listener;
  }

  /**
   * Between steps a read uses the writing connection: the other one must fetch its pages anew after every commit. It awaits
   * only SQL, so it is over before the next macrotask, in which a step may begin. While one runs, the reading connection
   * keeps it from seeing what is not committed.
   */
  read<I, O>(read: Read<I, O>, input: I): Promise<O> {
    return guarded(() => read.run(this.#writer.inTransaction ? this.#readDb : this.#db, input), this.#options.file);
  }

  step<I, O>(step: Step<I, O>, input: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      this.#waiting.push({
        durability: step.durability,
        name: step.name,
        run: async () => {
          const now = this.#options.clock.now();
          const work = createWorkNotes(this.#db, now);
          const output = await step.run({ db: this.#db, now, enqueue: work.enqueue }, input);
          await work.keep();
          return () => {
            resolve(output);
            work.tell(this.#listener);
          };
        },
        fail: (error) => reject(sqliteError(error, this.#options.file)),
      });
      this.#draining ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    await this.#draining;
    this.#reader.close();
    this.#writer.close();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // One macrotask later: steps asked for by handlers of the same I/O round join the batch, and reads are over.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, MAX_BATCH);
      const startedAt = performance.now();
      const settle = await this.#commitBatch(batch);
      for (const done of settle) done();
      const took = performance.now() - startedAt;
      for (const { name } of batch) this.#options.onStep?.(name, took);
    }
    this.#draining = null;
  }

  /** Runs a batch in one transaction. Nobody is told anything before the commit: what is told must be true after a crash. */
  async #commitBatch(batch: readonly Waiting[]): Promise<(() => void)[]> {
    try {
      this.#ask(batch.some((step) => step.durability === "full") ? "full" : "normal");
      this.#begin.run();
    } catch (error) {
      return batch.map((step) => () => step.fail(error));
    }
    const [only, second] = batch;
    if (only !== undefined && second === undefined) return this.#commitOne(only);
    const settle: (() => void)[] = [];
    for (const step of batch) {
      // SQLite ends the whole transaction by itself on some errors (a full disk). A savepoint after that would begin one of
      // its own and commit it, although everybody is told below that nothing happened.
      if (!this.#writer.inTransaction) break;
      try {
        this.#savepoint.run();
        settle.push(await step.run());
        this.#release.run();
      } catch (error) {
        this.#undoStep();
        settle.push(() => step.fail(error));
      }
    }
    try {
      if (!this.#writer.inTransaction) throw new Error("SQLITE_FULL: the transaction was rolled back");
      publish(committingSteps, batch);
      this.#commit.run();
      publish(committedSteps, batch);
      return settle;
    } catch (error) {
      if (this.#writer.inTransaction) this.#writer.exec("rollback");
      return batch.map((step) => () => step.fail(error));
    }
  }

  /** A batch of one needs no savepoint: taking the step back is taking the transaction back. */
  async #commitOne(step: Waiting): Promise<(() => void)[]> {
    try {
      const done = await step.run();
      publish(committingSteps, [step]);
      this.#commit.run();
      publish(committedSteps, [step]);
      return [done];
    } catch (error) {
      if (this.#writer.inTransaction) this.#writer.exec("rollback");
      return [() => step.fail(error)];
    }
  }

  #undoStep(): void {
    if (this.#writer.inTransaction) this.#writer.exec("rollback to step; release step");
  }

  #ask(synchronous: "full" | "normal"): void {
    if (this.#synchronous === synchronous) return;
    this.#writer.pragma(`synchronous = ${synchronous}`);
    this.#synchronous = synchronous;
  }
}
