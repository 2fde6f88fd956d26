import { type Kysely, sql } from "kysely";

/** What a person wrote who waits to be let in, and how they are greeted (IN-5). Requests of before have nothing of it. */
export async function addWaitingMessages(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table pairing_requests add column waiting_json text").execute(db);
}
