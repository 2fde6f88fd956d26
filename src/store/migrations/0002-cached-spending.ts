import { type Kysely, sql } from "kysely";
import type { Dialect } from "../store.ts";

/**
 * What of an agent's input a provider read from its cache, and what it wrote there: both have prices of their own (FC-315). Rows of
 * before count as if nothing was cached, which is how they were priced.
 */
export async function addCachedSpending(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const int = dialect === "sqlite" ? "integer" : "bigint";
  for (const column of ["cached", "cache_write"]) {
    await sql.raw(`alter table spending add column ${column} ${int} not null default 0`).execute(db);
  }
}
