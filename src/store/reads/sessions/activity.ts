import { sql } from "kysely";
import type { SessionId } from "../../../core/ids.ts";
import type { TokenUsage } from "../../../core/message/transcript.ts";
import type { StateEvent } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { stateEventFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** What goes on in a session right now, for its status card (ST-30). */
export interface SessionActivity {
  /** When its open turn began; null: none is open. */
  readonly turnStartedAt: number | null;
  /** Inputs that wait for a turn; commands and notices do not count. */
  readonly waitingInputs: number;
  /** Open runs of its sub-agents. */
  readonly children: number;
  /** Other open runs it waits for. */
  readonly backgroundRuns: number;
  /** How often older messages of this life were summarised (TN-12). */
  readonly compactions: number;
  /** The newest stored usage of this life (ST-31); null: no model was called yet. */
  readonly lastUsage: TokenUsage | null;
}

export const sessionActivity = defineRead(
  "session-activity",
  async (db, input: { readonly key: SessionKey; readonly sessionId: SessionId }): Promise<SessionActivity> => {
    const row = await db
      .selectNoFrom((eb) => [
        eb
          .selectFrom("turns")
          .select("started_at")
          .where("session_key", "=", input.key)
          .where("ended_at", "is", null)
          .as("turn_started_at"),
        eb
          .selectFrom("inbox")
          .select(sql<number>`count(*)`.as("n"))
          .where("session_key", "=", input.key)
          .where("settled_at", "is", null)
          .where("state", "in", ["waiting", "held"])
          .where("kind", "not in", ["command", "notice"])
          .as("waiting"),
        eb
          .selectFrom("runs")
          .select(sql<number>`count(*)`.as("n"))
          .where("wake_key", "=", input.key)
          .where("ended_at", "is", null)
          .where("kind", "=", "spawn")
          .as("children"),
        eb
          .selectFrom("runs")
          .select(sql<number>`count(*)`.as("n"))
          .where("wake_key", "=", input.key)
          .where("ended_at", "is", null)
          .where("kind", "<>", "spawn")
          .as("background"),
        eb
          .selectFrom("messages")
          .select("usage_json")
          .where("session_id", "=", input.sessionId)
          .where("usage_json", "is not", null)
          .orderBy("seq", "desc")
          .limit(1)
          .as("usage_json"),
        eb
          .selectFrom("compactions")
          .select(sql<number>`count(*)`.as("n"))
          .where("session_id", "=", input.sessionId)
          .where("kind", "=", "summary")
          .as("compactions"),
      ])
      .executeTakeFirstOrThrow();
    return {
      turnStartedAt: row.turn_started_at === null ? null : Number(row.turn_started_at),
      waitingInputs: Number(row.waiting ?? 0),
      children: Number(row.children ?? 0),
      backgroundRuns: Number(row.background ?? 0),
      compactions: Number(row.compactions ?? 0),
      lastUsage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as TokenUsage),
    };
  },
);

/** SL-5. */
const MAX_EVENTS = 200;

export interface StateChanges {
  /** Up to 200 after the version, oldest first. */
  readonly events: readonly StateEvent[];
  /** True exactly when events after the version have been pruned. */
  readonly historyGap: boolean;
}

/** What happened to a session after a version of it (SL-5). `stateVersion`: the session's own, which pruning never lowers. */
export const stateChanges = defineRead(
  "state-changes",
  async (
    db,
    input: { readonly sessionKey: SessionKey; readonly after: number; readonly stateVersion: number },
  ): Promise<StateChanges> => {
    const rows = await db
      .selectFrom("state_events")
      .selectAll()
      .where("session_key", "=", input.sessionKey)
      .where("sequence", ">", input.after)
      .orderBy("sequence")
      .limit(MAX_EVENTS)
      .execute();
    const [first] = rows;
    const historyGap = first === undefined ? input.stateVersion > input.after : first.previous > input.after;
    return { events: rows.map(stateEventFromRow), historyGap };
  },
);
