import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, describe, inject } from "vitest";
import type { Logger } from "../../src/core/runtime.ts";
import { openPostgresStore } from "../../src/store/dialect/postgres.ts";
import { openSqliteStore } from "../../src/store/dialect/sqlite.ts";
import type { Dialect, Store } from "../../src/store/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { TEMPLATE } from "./postgres-template.ts";

export const silentLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

export interface TestStore {
  readonly dialect: Dialect;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Removes the store and everything it left. */
  dispose(): Promise<void>;
}

/** A SQLite store in a folder of its own. */
export async function openTestStore(clock: FakeClock = new FakeClock()): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-store-"));
  const store = await openSqliteStore({ file: join(folder, "switchyard.db"), clock, log: silentLog });
  return {
    dialect: "sqlite",
    store,
    clock,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function newDatabase(): Promise<string> {
  const server = inject("postgresUrl");
  if (server === undefined) throw new Error("this run started no PostgreSQL");
  const name = `t${randomUUID().replaceAll("-", "")}`;
  await query(`${server}/postgres`, `create database ${name} template ${TEMPLATE} strategy file_copy`);
  return `${server}/${name}`;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** As it was after the migrations: no row in any table but the schema's version, and every counter at its beginning. */
const EMPTY = `
  do $$ declare one record; begin
    for one in select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_version' loop
      execute 'delete from ' || quote_ident(one.name);
    end loop;
    for one in select sequencename as name from pg_sequences where schemaname = 'public' loop
      perform setval(quote_ident(one.name), 1, false);
    end loop;
  end $$`;

/** Opens stores in the databases of tests that are over, emptied: to make a new one takes thirty times as long. */
function postgresOpener(): (clock?: FakeClock) => Promise<TestStore> {
  const free: string[] = [];
  return async (clock = new FakeClock()) => {
    const used = free.pop();
    if (used !== undefined) await query(used, EMPTY);
    const url = used ?? (await newDatabase());
    const store = await openPostgresStore({ url, clock });
    return {
      dialect: "postgres",
      store,
      clock,
      dispose: async () => {
        await store.close();
        free.push(url);
      },
    };
  };
}

/**
 * Runs the same tests on SQLite and on PostgreSQL. `open` gives a fresh store; it is removed after the test.
 */
export function describeOnEveryStore(
  name: string,
  tests: (open: (clock?: FakeClock) => Promise<TestStore>) => void,
): void {
  // The quick run starts no server: what needs one is skipped visibly.
  const hasPostgres = inject("postgresUrl") !== undefined;
  for (const [dialect, opener] of [
    ["SQLite", openTestStore],
    ["PostgreSQL", postgresOpener()],
  ] as const) {
    describe.skipIf(dialect === "PostgreSQL" && !hasPostgres)(`${name} on ${dialect}`, () => {
      const opened: TestStore[] = [];
      afterEach(async () => {
        for (const test of opened.splice(0)) await test.dispose();
      });
      tests(async (clock) => {
        const test = await opener(clock);
        opened.push(test);
        return test;
      });
    });
  }
}
