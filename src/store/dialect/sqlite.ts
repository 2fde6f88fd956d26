import { channel } from "node:diagnostics_channel";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import type { Transaction } from "kysely";
import { StoreError } from "../../core/errors.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import { migrate } from "../migrate.ts";
import type { Schema } from "../schema.ts";
import type { Read, Step, Store } from "../store.ts";
import { createWorkNotes, type WorkListener } from "../work-notes.ts";
import { kyselyOn } from "./sqlite-driver.ts";
import { sqliteError } from "./sqlite-errors.ts";

export interface SqliteOptions {
  /** A file path, created with its folder when missing. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told after every commit how long the batch took. */
  readonly onStep?: (name: string, durationMs: number) => void;
}

interface Waiting {
  readonly durability: "full" | "normal";
  readonly name: string;
  readonly run: () => Promise<() => void>;
  readonly fail: (error: unknown) => void;
}

/** Each committed step, by name, before anybody is told of it: for tracing, and for tests that end the process there. */
const committedSteps = channel("switchyard:step-committed");

/** Waiting for another program's lock stands the whole process still; whoever is refused then tries again without that. */
const BUSY_MS = 1_000;

/** Steps of one batch share one commit; a batch is bounded so that the first of a burst does not wait for all of it. */
const MAX_BATCH = 64;

/**
 * Opens a SQLite store: WAL, migrations run forward (after a backup when there is something to lose), one writing
 * connection and one reading one, so that a read never sees a step that is not committed.
 *
 * Steps that wait at the same moment share one commit, each in its own savepoint: one that throws takes back only itself.
 * The commit is `synchronous=FULL` when one of the batch asks for it (OP-10).
 *
 * Throws StoreError: `store_newer`, `store_foreign`, `store_corrupt`, `store_readonly`, `store_full`, `store_unavailable`; the message names
 * the file, what happened and what to do.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file } = options;
  const writer = openConnection(file, false);
  try {
    refuseForeign(writer, file);
    configure(writer);
    await migrate(kyselyOn(writer), {
      dialect: "sqlite",
      place: file,
      backup: async () => backupFile(writer, file, options),
      begin: () => writer.exec("begin immediate"),
      commit: () => writer.exec("commit"),
      rollback: () => writer.exec("rollback"),
    });
    const reader = openConnection(file, true);
    return new SqliteStore(writer, reader, options);
  } catch (error) {
    writer.close();
    throw sqliteError(error, file);
  }
}

/** A store for looking only, beside a running or dead process. Throws `store_missing` when there is no file. */
export async function openSqliteForReading(file: string): Promise<Pick<Store, "read" | "close">> {
  const reader = openConnection(file, true);
  const db = kyselyOn(reader);
  return {
    read: (read, input) => guarded(() => read.run(db, input), file),
    close: async () => void reader.close(),
  };
}

/** Copies a store, also while it is written to. Resolves when the copy is complete. */
export async function backupSqlite(file: string, target: string): Promise<void> {
  const source = openConnection(file, true);
  try {
    await source.backup(target);
  } catch (error) {
    throw sqliteError(error, target);
  } finally {
    source.close();
  }
}

/** `PRAGMA integrity_check`: the faults found, none when the file is sound. */
export function checkSqlite(file: string): readonly string[] {
  const reader = openConnection(file, true);
  try {
    const rows = reader.pragma("integrity_check") as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    reader.close();
  }
}

function openConnection(file: string, readonly: boolean): Database.Database {
  try {
    if (!readonly) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const database = new Database(file, { readonly, fileMustExist: readonly, timeout: BUSY_MS });
    if (readonly) {
      database.pragma("query_only = on");
      database.pragma("temp_store = memory");
      // Listings walk an index over all sessions; in the default 2 MB every one of them would read it from the file again.
      database.pragma("cache_size = -32000");
    }
    return database;
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/** A database of another program is left alone, whatever its tables are called. */
function refuseForeign(database: Database.Database, file: string): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length === 0 || tables.includes("schema_version")) return;
  throw new StoreError(
    "store_foreign",
    `store ${file}: the file is the database of another program. Name another file in store.url`,
    { retryable: false },
  );
}

function configure(database: Database.Database): void {
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = full");
  database.pragma("foreign_keys = off");
  database.pragma("temp_store = memory");
  database.pragma("cache_size = -8000");
}

async function backupFile(database: Database.Database, file: string, options: SqliteOptions): Promise<void> {
  if (!existsSync(file)) return;
  const target = `${file}.before-migration-${options.clock.now()}`;
  await database.backup(target);
  options.log.info({ file, backup: target }, "backed up the store before migrating it");
}

async function guarded<T>(work: () => Promise<T>, file: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sqliteError(error, file);
  }
}

function publish(steps: readonly Pick<Waiting, "name">[]): void {
  if (committedSteps.hasSubscribers) for (const { name } of steps) committedSteps.publish({ name });
}

class SqliteStore implements Store {
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

  read<I, O>(read: Read<I, O>, input: I): Promise<O> {
    return guarded(() => read.run(this.#readDb, input), this.#options.file);
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
    // One macrotask later: steps asked for by handlers of the same I/O round join the batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
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
      this.#commit.run();
      publish(batch);
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
      this.#commit.run();
      publish([step]);
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
