import pg from "pg";
import { openPostgresStore } from "../../src/store/dialect/postgres.ts";

/** A database with the schema in it and nothing else, from which the others are copied. */
export const TEMPLATE = "switchyard_template";

/** On a server that has none yet. */
export async function makeTemplate(server: string): Promise<void> {
  const admin = new pg.Client({ connectionString: `${server}/postgres` });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const store = await openPostgresStore({ url: `${server}/${TEMPLATE}`, clock: { now: () => Date.now() } });
  await store.close();
}
