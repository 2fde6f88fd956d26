import type { SessionId } from "../../../core/ids.ts";
import type { MessagePart, TranscriptMessage } from "../../../core/message/transcript.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { SessionScope } from "../../../core/session/session-scope.ts";
import { messageFromRow } from "../../rows.ts";
import { defineRead } from "../../store.ts";

/** One life of a session, also one that a reset ended (TN-13). */
export interface Life {
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
}

/** Every life of a session and, with lineage, of all it spawned at any depth (VS-1). */
export const livesInTree = defineRead(
  "lives-in-tree",
  async (db, { own, lineage }: Pick<SessionScope, "own" | "lineage">): Promise<readonly Life[]> => {
    let query = db.selectFrom("session_ids").select(["session_id", "session_key"]).where("session_key", "=", own);
    if (lineage) {
      query = query.unionAll(
        db
          .selectFrom("session_lineage")
          .innerJoin("session_ids", "session_ids.session_key", "session_lineage.descendant")
          .select(["session_ids.session_id", "session_ids.session_key"])
          .where("session_lineage.ancestor", "=", own),
      );
    }
    const rows = await query.execute();
    return rows.map((row) => ({ sessionId: row.session_id, sessionKey: row.session_key as SessionKey }));
  },
);

/** Messages by their sequences, in no order; one that is gone is left out. */
export const messagesBySeq = defineRead(
  "messages-by-seq",
  async (db, seqs: readonly number[]): Promise<readonly TranscriptMessage[]> => {
    if (seqs.length === 0) return [];
    const rows = await db
      .selectFrom("messages")
      .selectAll()
      .where("seq", "in", [...seqs])
      .execute();
    return rows.map(messageFromRow);
  },
);

/** What the ranking of many hits needs of a message, and no more: most of what it costs is reading rows. */
export interface RankedText {
  readonly seq: number;
  readonly role: TranscriptMessage["role"];
  readonly parts: readonly MessagePart[];
}

export const rankedTexts = defineRead(
  "ranked-texts",
  async (db, seqs: readonly number[]): Promise<readonly RankedText[]> => {
    const rows = await db
      .selectFrom("messages")
      .select(["seq", "role", "parts_json"])
      .where("seq", "in", [...seqs])
      .execute();
    return rows.map(({ seq, role, parts_json }) => ({
      seq,
      role: role as TranscriptMessage["role"],
      parts: JSON.parse(parts_json) as MessagePart[],
    }));
  },
);
