import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "../../core/errors.ts";
import { storeForeign } from "../../core/texts/store/outcomes.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Store, StoreFiles } from "../store.ts";
import { keepPrivate } from "./private-file.ts";
import { kyselyOn } from "./sqlite-driver.ts";
import { sqliteError } from "./sqlite-errors.ts";
import { guarded, type SqliteOptions, SqliteStore } from "./sqlite-store.ts";

/** Waiting for another program's lock blocks the whole process; a caller that is refused retries without blocking. */
const BUSY_MS = 1_000;

/** Listings walk an index over all sessions; in the default 2 MB every one of them would read it from the file again. */
const CACHE = "cache_size = -32000";

/**
 * Opens a SQLite store: WAL, migrations run forward (after a backup when there is something to lose), one connection.
 *
 * Steps that wait at the same moment share one commit, each in its own savepoint: one that throws takes back only itself.
 * A `full` step resolves when its commit is on the disk, as with `synchronous=FULL` (OP-10); the process goes on meanwhile,
 * and what is committed during one flush shares the next. Work is told of at the commit: it survives the process.
 *
 * Throws StoreError: `store_newer`, `store_foreign`, `store_corrupt`, `store_readonly`, `store_full`, `store_unavailable`; the message names
 * the file, what happened and what to do.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file } = options;
  const database = openConnection(file, false);
  try {
    refuseForeign(database, file);
    configure(database);
    await migrate(kyselyOn(database), {
      dialect: "sqlite",
      place: file,
      backup: async () => backupFile(database, file, options),
      begin: () => database.exec("begin immediate"),
      commit: () => database.exec("commit"),
      rollback: () => database.exec("rollback"),
    });
    // As `full` would, a step that asks for it waits for the disk; but the process goes on meanwhile (see DiskFlush).
    database.pragma("synchronous = normal");
    return new SqliteStore(database, options);
  } catch (error) {
    database.close();
    throw sqliteError(error, file);
  }
}

/** What the command line does with a store's file. */
export const sqliteFiles: StoreFiles = {
  open: (file, options) => openSqliteStore({ file, ...options }),
  openForReading,
  backup,
  faults,
};

async function openForReading(file: string): Promise<Pick<Store, "read" | "close">> {
  const reader = openConnection(file, true);
  const db = kyselyOn(reader);
  return {
    read: (read, input) => guarded(() => read.run(db, input, "sqlite"), file),
    close: async () => void reader.close(),
  };
}

async function backup(file: string, target: string): Promise<void> {
  const source = openConnection(file, true);
  try {
    keepPrivate(target);
    await source.backup(target);
  } catch (error) {
    throw sqliteError(error, target);
  } finally {
    source.close();
  }
}

function faults(file: string): readonly string[] {
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
    if (!readonly) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      for (const own of [file, ...[`${file}-wal`, `${file}-shm`].filter((one) => existsSync(one))]) keepPrivate(own);
    }
    const database = new Database(file, { readonly, fileMustExist: readonly, timeout: BUSY_MS });
    if (readonly) {
      database.pragma("query_only = on");
      database.pragma("temp_store = memory");
      database.pragma(CACHE);
    }
    return database;
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/** Another program's database is never touched, even if its tables have the same names. */
function refuseForeign(database: Database.Database, file: string): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length === 0 || tables.includes("schema_version")) return;
  throw new StoreError("store_foreign", storeForeign(file), { retryable: false });
}

function configure(database: Database.Database): void {
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = full");
  database.pragma("foreign_keys = off");
  database.pragma("temp_store = memory");
  database.pragma(CACHE);
}

async function backupFile(database: Database.Database, file: string, options: SqliteOptions): Promise<void> {
  if (!existsSync(file)) return;
  const target = `${file}.before-migration-${options.clock.now()}`;
  keepPrivate(target);
  await database.backup(target);
  options.log.info({ file, backup: target }, "backed up the store before migrating it");
}
