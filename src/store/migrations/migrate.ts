import { type Kysely, sql } from "kysely";
import { StoreError } from "../../core/errors.ts";
import { storeNewer } from "../../core/texts/store/outcomes.ts";
import type { Dialect } from "../store.ts";
import { up as initial } from "./0001-initial.ts";
import { addCachedSpending } from "./0002-cached-spending.ts";
import { addWaitingMessages } from "./0003-waiting-messages.ts";
import { addChains } from "./0004-chains.ts";

type Migration = (db: Kysely<unknown>, dialect: Dialect) => Promise<void>;

/** In order; a store's schema version is how many of them ran. Never change one that was released: stores have run it already. */
const MIGRATIONS: readonly Migration[] = [initial, addCachedSpending, addWaitingMessages, addChains];

export interface MigrationHost {
  readonly dialect: Dialect;
  /** The file or database, for messages. Never a password. */
  readonly place: string;
  /** Called once before the first migration of a store that holds something. */
  backup(): Promise<void>;
  begin(): unknown;
  commit(): unknown;
  rollback(): unknown;
}

/**
 * Brings a store to this program's schema: forward only, each migration in its own transaction, after a backup (OP-10).
 * Throws StoreError `store_newer` when a newer program wrote it, and then changes nothing.
 */
export async function migrate<DB>(db: Kysely<DB>, host: MigrationHost): Promise<void> {
  const handle = db as unknown as Kysely<unknown>;
  const integer = host.dialect === "sqlite" ? "integer" : "bigint";
  await sql.raw(`create table if not exists schema_version (version ${integer} not null)`).execute(handle);
  const current = await versionOf(handle);
  if (current > MIGRATIONS.length) {
    throw new StoreError("store_newer", storeNewer(host.place, current, MIGRATIONS.length), { retryable: false });
  }
  if (current > 0 && current < MIGRATIONS.length) await host.backup();
  for (const [index, up] of MIGRATIONS.entries()) {
    if (index < current) continue;
    await host.begin();
    try {
      await up(handle, host.dialect);
      await sql`delete from schema_version`.execute(handle);
      await sql`insert into schema_version (version) values (${index + 1})`.execute(handle);
      await host.commit();
    } catch (error) {
      await host.rollback();
      throw error;
    }
  }
}

async function versionOf(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}
