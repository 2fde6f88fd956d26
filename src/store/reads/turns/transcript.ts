import type { SessionId, TurnId } from "../../../core/ids.ts";
import type { TranscriptMessage } from "../../../core/message/transcript.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
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

/** Messages of one life, newest first, before a sequence or from the newest on (ST-5). */
export const messagesBefore = defineRead(
  "messages-before",
  async (
    db,
    input: {
      readonly sessionId: SessionId;
      readonly before: number | null;
      readonly limit: number;
      readonly includeTools: boolean;
    },
  ): Promise<readonly TranscriptMessage[]> => {
    let query = db.selectFrom("messages").selectAll().where("session_id", "=", input.sessionId);
    if (input.before !== null) query = query.where("seq", "<", input.before);
    if (!input.includeTools) query = query.where("role", "<>", "tool");
    const rows = await query.orderBy("seq", "desc").limit(input.limit).execute();
    return rows.map(messageFromRow);
  },
);

/** Messages of one life behind a sequence, oldest first. */
export const messagesAfter = defineRead(
  "messages-after",
  async (
    db,
    input: {
      readonly sessionId: SessionId;
      readonly after: number;
      readonly limit: number;
      readonly includeTools: boolean;
    },
  ): Promise<readonly TranscriptMessage[]> => {
    let query = db
      .selectFrom("messages")
      .selectAll()
      .where("session_id", "=", input.sessionId)
      .where("seq", ">", input.after);
    if (!input.includeTools) query = query.where("role", "<>", "tool");
    const rows = await query.orderBy("seq").limit(input.limit).execute();
    return rows.map(messageFromRow);
  },
);

/** A message of a session, of whichever of its lives; null: it has none of this sequence. */
export const messageOf = defineRead(
  "message-of",
  async (db, input: { readonly sessionKey: SessionKey; readonly seq: number }): Promise<TranscriptMessage | null> => {
    const row = await db
      .selectFrom("messages")
      .selectAll()
      .where("seq", "=", input.seq)
      .where("session_key", "=", input.sessionKey)
      .executeTakeFirst();
    return row === undefined ? null : messageFromRow(row);
  },
);

export const hasMessage = defineRead(
  "has-message",
  async (db, input: { readonly sessionId: SessionId; readonly seq: number }): Promise<boolean> => {
    const row = await db
      .selectFrom("messages")
      .select("seq")
      .where("session_id", "=", input.sessionId)
      .where("seq", "=", input.seq)
      .executeTakeFirst();
    return row !== undefined;
  },
);
