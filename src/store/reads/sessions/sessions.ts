import type { Session } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { sessionFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

export const sessionByKey = defineRead("session-by-key", async (db, key: SessionKey): Promise<Session | null> => {
  const row = await db.selectFrom("sessions").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : sessionFromRow(row);
});
