import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { runFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

const startedBy = defineStatement((db, p: { readonly sessionKey: SessionKey; readonly endedSince: number }) =>
  db
    .selectFrom("runs")
    .selectAll()
    .where("wake_key", "=", p.sessionKey)
    .where("kind", "=", "spawn")
    .where((eb) => eb.or([eb("ended_at", "is", null), eb("ended_at", ">=", p.endedSince)]))
    .orderBy("created_at"),
);

/** The runs a session started: every open one, and those ended since `endedSince`; oldest first. */
export const runsOf = defineRead(
  "runs-of",
  async (db, input: { readonly sessionKey: SessionKey; readonly endedSince: number }): Promise<readonly Run[]> => {
    const rows = await startedBy.all(db, input);
    return rows.map(runFromRow);
  },
);

export const findRun = defineRead("find-run", async (db, runId: RunId): Promise<Run | null> => {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", runId).executeTakeFirst();
  return row === undefined ? null : runFromRow(row);
});

/** The newest spawned run of a sub-agent's session. */
export const runOfChild = defineRead("run-of-child", async (db, sessionKey: SessionKey): Promise<Run | null> => {
  const row = await db
    .selectFrom("runs")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "spawn")
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  return row === undefined ? null : runFromRow(row);
});
