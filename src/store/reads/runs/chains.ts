import type { Kysely } from "kysely";
import type { ChainUse } from "../../../core/session/chain.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { chainUseFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

/** What a chain has used (ST-28); null: nothing was set off, or its record has expired. */
export const chainUse = defineRead("chain-use", usedBy);

export async function usedBy(db: Kysely<Schema>, id: string): Promise<ChainUse | null> {
  const row = await db.selectFrom("chains").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : chainUseFromRow(row);
}

/** The chain of a session that something happened in last; null: it has set nothing off lately. */
export const newestChainFrom = defineRead(
  "newest-chain-from",
  async (db, sessionKey: SessionKey): Promise<ChainUse | null> => {
    const row = await db
      .selectFrom("chains")
      .selectAll()
      .where("origin_key", "=", sessionKey)
      .orderBy("updated_at", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : chainUseFromRow(row);
  },
);
