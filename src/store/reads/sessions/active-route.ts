import type { Route } from "../../../core/delivery/route.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { turnFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** The route of the turn that a session has open, null inside when it answers nowhere; null: no turn is open (ST-32). */
export const activeRoute = defineRead(
  "active-route",
  async (db, sessionKey: SessionKey): Promise<{ readonly route: Route | null } | null> => {
    const row = await db
      .selectFrom("turns")
      .selectAll()
      .where("session_key", "=", sessionKey)
      .where("ended_at", "is", null)
      .executeTakeFirst();
    return row === undefined ? null : { route: turnFromRow(row).source.route };
  },
);
