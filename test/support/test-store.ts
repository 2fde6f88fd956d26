import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, describe, inject } from "vitest";
import type { Logger } from "../../src/core/runtime.ts";
import { openPostgresStore } from "../../src/store/dialect/postgres.ts";
import { openSqliteStore } from "../../src/store/dialect/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock } from "./fake-clock.ts";

export const silentLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

export interface TestStore {
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
    store,
    clock,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A PostgreSQL store in a database of its own on the test run's server. */
export async function openTestPostgres(clock: FakeClock = new FakeClock()): Promise<TestStore> {
  const server = inject("postgresUrl");
  const name = `t${randomUUID().replaceAll("-", "")}`;
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const store = await openPostgresStore({ url: `${server}/${name}`, clock });
  return { store, clock, dispose: () => store.close() };
}

/**
 * Runs the same tests on SQLite and on PostgreSQL. `open` gives a fresh store; it is removed after the test.
 */
export function describeOnEveryStore(name: string, tests: (open: () => Promise<TestStore>) => void): void {
  for (const [dialect, opener] of [
    ["SQLite", openTestStore],
    ["PostgreSQL", openTestPostgres],
  ] as const) {
    describe(`${name} on ${dialect}`, () => {
      const opened: TestStore[] = [];
      afterEach(async () => {
        for (const test of opened.splice(0)) await test.dispose();
      });
      tests(async () => {
        const test = await opener();
        opened.push(test);
        return test;
      });
    });
  }
}
