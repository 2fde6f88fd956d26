import { type FileHandle, open } from "node:fs/promises";
import type BetterSqlite3 from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Schema } from "../schema.ts";

/**
 * Kysely on one better-sqlite3 connection. Statements are prepared once and kept: preparing costs more than running most of
 * ours. Transactions are the engine's business (it groups steps), so the driver's own hooks do nothing.
 */
export function kyselyOn(database: BetterSqlite3.Database): Kysely<Schema> {
  const connection = new CachedConnection(database);
  const driver: Driver = {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: async () => undefined,
    commitTransaction: async () => undefined,
    rollbackTransaction: async () => undefined,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
  const adapter = new SqliteAdapter();
  const compiler = new StableCompiler();
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => compiler,
  };
  const executor = new DirectExecutor(compiler, adapter, connection);
  return new Kysely<Schema>({ config: { dialect }, dialect, driver, executor });
}

/**
 * SQLite plans a statement again at every run when a bare parameter may decide the plan: one that is compared with an indexed
 * column of an ordered query, or a limit (measured with 3.54: 40 µs in place of 3). A sign before it makes it an expression
 * that decides nothing; a plus changes neither value nor type.
 */
class StableCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

/** There is one connection and nothing to wait for, so Kysely's pool is bypassed. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(compiler: QueryCompiler, adapter: DialectAdapter, connection: DatabaseConnection) {
    super(compiler, adapter, { provideConnection: (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery(query);
  }
}

/** Beyond this many different texts the cache is emptied; a query with a list of changing length must not grow it for ever. */
const MAX_CACHED = 1_000;

class CachedConnection implements DatabaseConnection {
  readonly #database: BetterSqlite3.Database;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#prepare(query.sql);
    if (statement.reader) return { rows: statement.all(...query.parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: the port asks for a generator; nothing of ours streams rows.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("streaming reads are not used");
  }

  #prepare(text: string): BetterSqlite3.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_CACHED) this.#statements.clear();
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/**
 * Flushes a file's written data to disk beside the running process: callers during a flush share the
 * next one. After a failure it is unknown what is on the disk (the system may drop what it could not write, and the next
 * flush succeeds without it), so every later one fails with the same error.
 */
export class DiskFlush {
  readonly #file: string;
  #handle: Promise<FileHandle> | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when all that was written before the call is on the disk. */
  flush(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) {
      this.#running = this.#flushNow();
      return this.#running;
    }
    this.#next = this.#running.then(() => {
      this.#running = this.#next;
      this.#next = null;
      return this.#flushNow();
    });
    // The callers get the failure from the promise; this keeps it from ending the process when there are none.
    this.#next.catch(() => undefined);
    return this.#next;
  }

  /** Resolves when the flushes asked for so far have ended. Asks for none. */
  asked(): Promise<void> {
    return this.#next ?? this.#running ?? Promise.resolve();
  }

  async close(): Promise<void> {
    try {
      await this.asked();
    } finally {
      await (await this.#handle)?.close();
    }
  }

  async #flushNow(): Promise<void> {
    this.#handle ??= open(this.#file, "r+");
    const handle = await this.#handle;
    await handle.datasync();
    if (this.#next === null) this.#running = null;
  }
}
