import type { SessionId, TurnId } from "../../../core/ids.ts";
import type { TranscriptMessage } from "../../../core/message/transcript.ts";
import { messageFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** The newest `limit` messages of one life of a session, oldest first. */
export const transcriptTail = defineRead(
  "transcript-tail",
  async (
    db,
    input: { readonly sessionId: SessionId; readonly limit: number },
  ): Promise<readonly TranscriptMessage[]> => {
    const rows = await db
      .selectFrom("messages")
      .selectAll()
      .where("session_id", "=", input.sessionId)
      .orderBy("seq", "desc")
      .limit(input.limit)
      .execute();
    return rows.reverse().map(messageFromRow);
  },
);

/** Every message of one turn, in order. */
export const turnMessages = defineRead(
  "turn-messages",
  async (
    db,
    input: { readonly sessionId: SessionId; readonly turnId: TurnId },
  ): Promise<readonly TranscriptMessage[]> => {
    const rows = await db
      .selectFrom("messages")
      .selectAll()
      .where("session_id", "=", input.sessionId)
      .where("turn_id", "=", input.turnId)
      .orderBy("seq")
      .execute();
    return rows.map(messageFromRow);
  },
);
