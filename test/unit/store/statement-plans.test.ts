import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, expect, test, vi } from "vitest";
import { kyselyOn } from "../../../src/store/dialect/sqlite-driver.ts";

afterEach(() => vi.unstubAllGlobals());

test("OP-10: an ordered and limited query keeps its plan from run to run", async () => {
  // The driver builds a row maker with `Function` for each plan.
  const made = { count: 0 };
  const counting = new Proxy(Function, {
    apply: (target, self, args: string[]) => {
      made.count += 1;
      return Reflect.apply(target, self, args);
    },
  });
  vi.stubGlobal("Function", counting);
  const database = new Database(":memory:");
  database.exec("create table timers (key text primary key, due_at integer); create index due on timers (due_at)");
  const db = kyselyOn(database);
  await sql`insert into timers values (${"a"}, ${1}), (${"b"}, ${1})`.execute(db);
  for (const limit of [1, 2, 2]) {
    const rows = await db
      .selectFrom("timers")
      .select("key")
      .where("due_at", "=", 1)
      .orderBy("key")
      .limit(limit)
      .execute();
    expect(rows).toHaveLength(limit);
  }
  expect(made.count).toBe(1);
  database.close();
});
