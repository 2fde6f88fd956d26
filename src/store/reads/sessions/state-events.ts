import type { StateEvent } from "../../../core/message/state-event.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { stateEventFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

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
