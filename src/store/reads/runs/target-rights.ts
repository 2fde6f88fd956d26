import type { Rights } from "../../../core/session/rights.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { turnFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** Further back than this a session's people may have changed. */
const TURNS = 20;

/**
 * The rights a session itself works with (TN-14): those of its newest turn that a person, a task or a completion started.
 * Inter-session turns do not count: theirs were lowered already. null: it never had any.
 */
export const ownRights = defineRead("own-rights", async (db, sessionKey: SessionKey): Promise<Rights | null> => {
  const rows = await db
    .selectFrom("turns")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .orderBy("started_at", "desc")
    .limit(TURNS)
    .execute();
  const turn = rows.map(turnFromRow).find(({ source }) => source.kind !== "inter_session");
  return turn?.source.rights ?? null;
});
