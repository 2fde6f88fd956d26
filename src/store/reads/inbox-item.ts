import type { InboxItem } from "../../core/inbox-item.ts";
import type { SessionKey } from "../../core/session-key.ts";
import { inboxItemFromRow } from "../rows.ts";
import { defineRead } from "../store.ts";

/** One input by its key: what the tasks `command` and `release` work on. */
export const inboxItem = defineRead("inbox-item", async (db, key: string): Promise<InboxItem | null> => {
  const row = await db.selectFrom("inbox").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : inboxItemFromRow(row);
});

/** The key a moved conversation's old session key stands for now (SK-9); the key itself when nothing moved. */
export const resolveAlias = defineRead("resolve-alias", async (db, key: SessionKey): Promise<SessionKey> => {
  const row = await db.selectFrom("session_aliases").select("new_key").where("old_key", "=", key).executeTakeFirst();
  return (row?.new_key as SessionKey | undefined) ?? key;
});
