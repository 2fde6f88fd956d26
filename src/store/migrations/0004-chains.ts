import { type Kysely, sql } from "kysely";
import type { Dialect } from "../store.ts";

/** What every chain has used of its budget (ST-28), so that a restart does not begin it anew. */
export async function addChains(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const int = dialect === "sqlite" ? "integer" : "bigint";
  await sql
    .raw(
      `create table chains (id text primary key, origin_key text not null, route_json text, turns ${int} not null,
       model_calls ${int} not null, tokens ${int} not null, stopped_by text, created_at ${int} not null, updated_at ${int} not null)`,
    )
    .execute(db);
  await sql.raw("create index chains_origin on chains (origin_key, updated_at)").execute(db);
  await sql.raw("create index chains_updated on chains (updated_at)").execute(db);
}
