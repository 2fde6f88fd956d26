import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import pg from "pg";
import { BridgeError, StoreError } from "../../core/errors.ts";
import type { Clock } from "../../core/runtime.ts";
import { databaseUnreachable } from "../../core/texts/store/outcomes.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Schema } from "../schema.ts";
import type { Read, Step, Store } from "../store.ts";
import { createWorkNotes, type WorkListener } from "../watched-store.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly clock: Clock;
}

/**
 * Serialization failures and deadlocks, and a row that another transaction inserted meanwhile (PostgreSQL may report that instead): the
 * same step simply runs again; it awaited nothing but SQL.
 */
const RETRYABLE = ["40001", "40P01", "23505"];
const MAX_TRIES = 40;

/**
 * Opens a PostgreSQL store. Each step is one serializable transaction, so the same code is right here and on SQLite, where
 * steps run one after the other anyway.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: options.url, max: 10, types });
  // An idle connection that breaks must not end the process; the next query reports it.
  pool.on("error", () => undefined);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withoutNul(pool) }) });
  try {
    await db.connection().execute(async (connection) => {
      const run = async (text: string) => sql.raw(text).execute(connection);
      await run("select pg_advisory_lock(7391502)");
      try {
        await migrate(connection, {
          dialect: "postgres",
          place: placeOf(options.url),
          backup: async () => undefined,
          begin: () => run("begin"),
          commit: () => run("commit"),
          rollback: () => run("rollback"),
        });
      } finally {
        await run("select pg_advisory_unlock(7391502)");
      }
    });
  } catch (error) {
    await db.destroy();
    throw postgresError(error, options.url);
  }
  return new PostgresStore(db, options);
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function postgresError(error: unknown, url: string): unknown {
  if (error instanceof BridgeError) return error;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  // The driver gives a connection that broke in mid-query no code, only this text.
  const broken = error instanceof Error && error.message.startsWith("Connection terminated");
  if (broken || (code !== null && /^(08|53|57)|^E[A-Z]+$/.test(code))) {
    const message = databaseUnreachable(placeOf(url));
    return new StoreError("store_unavailable", message, { retryable: true, cause: error });
  }
  return error;
}

class PostgresStore implements Store {
  readonly #db: Kysely<Schema>;
  readonly #options: PostgresOptions;
  #listener: WorkListener = () => undefined;

  constructor(db: Kysely<Schema>, options: PostgresOptions) {
    this.#db = db;
    this.#options = options;
  }

  onWork(listener: WorkListener): void {
    this.#listener = listener;
  }

  async read<I, O>(read: Read<I, O>, input: I): Promise<O> {
    try {
      return await read.run(this.#db, input, "postgres");
    } catch (error) {
      throw postgresError(error, this.#options.url);
    }
  }

  async step<I, O>(step: Step<I, O>, input: I): Promise<O> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(step, input);
      } catch (error) {
        if (attempt >= MAX_TRIES || !isSerializationFailure(error)) throw postgresError(error, this.#options.url);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * attempt));
      }
    }
  }

  async #once<I, O>(step: Step<I, O>, input: I): Promise<O> {
    const now = this.#options.clock.now();
    const { output, tell } = await this.#db
      .transaction()
      .setIsolationLevel("serializable")
      .execute(async (trx) => {
        const work = createWorkNotes(trx, now);
        const result = await step.run({ db: trx, now, enqueue: work.enqueue }, input);
        await work.keep();
        return { output: result, tell: work.tell };
      });
    tell(this.#listener);
    return output;
  }

  /** A commit of the server waits for its disk, and is not visible before. */
  onDisk(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}

function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && "code" in error && RETRYABLE.includes(String(error.code));
}

/**
 * The pool with NUL taken out of texts: PostgreSQL stores none, SQLite does, and people and models can write one. It becomes
 * U+FFFD, as a lone surrogate does on its way there, so an event that holds one is stored and not poison (IN-3).
 */
export function withoutNul(pool: pg.Pool): PostgresPool {
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const known = wrapped.get(client);
      if (known !== undefined) return known;
      // Kysely's type also has cursors, which nothing here uses.
      const made = {
        query: (text: string, parameters: readonly unknown[]) => client.query(text, parameters.map(storable)),
        release: (destroy?: boolean) => client.release(destroy),
      } as unknown as PostgresPoolClient;
      wrapped.set(client, made);
      return made;
    },
    end: () => pool.end(),
  };
}

function storable(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
