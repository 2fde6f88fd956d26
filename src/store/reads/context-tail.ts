import type { Kysely } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { TranscriptMessage } from "../../core/transcript.ts";
import { messageFromRow } from "../rows.ts";
import type { Schema } from "../schema.ts";
import { defineRead } from "../store.ts";

/** Forks of forks end where nothing is left to read; this only keeps damaged rows from being read in a circle. */
const MAX_FORKS = 20;

/**
 * The newest `limit` messages a model is shown of one life of a session, oldest first: its own, and before them those of the
 * life it continues from, up to the message it shares last (SP-5). Neither side's later messages show in the other. More
 * than `limit` when what was asked last lies further back: without it a long turn would forget what it works on, and begin
 * with a result whose call no provider has seen.
 */
export const contextTail = defineRead(
  "context-tail",
  async (
    db,
    input: { readonly sessionId: SessionId; readonly limit: number },
  ): Promise<readonly TranscriptMessage[]> => {
    const newestFirst: TranscriptMessage[] = [];
    let life: Life | null = { sessionId: input.sessionId, upTo: null };
    for (let forks = 0; life !== null && newestFirst.length < input.limit && forks <= MAX_FORKS; forks += 1) {
      newestFirst.push(...(await messagesOf(db, life, input.limit - newestFirst.length)));
      if (forks === 0) newestFirst.push(...(await restOfTurn(db, input.sessionId, newestFirst)));
      if (newestFirst.length < input.limit) life = await continuedFrom(db, life.sessionId);
    }
    return newestFirst.reverse();
  },
);

interface Life {
  readonly sessionId: SessionId;
  /** The last message to read; null: the newest. */
  readonly upTo: number | null;
}

async function messagesOf(db: Kysely<Schema>, life: Life, limit: number): Promise<readonly TranscriptMessage[]> {
  let query = db.selectFrom("messages").selectAll().where("session_id", "=", life.sessionId);
  if (life.upTo !== null) query = query.where("seq", "<=", life.upTo);
  const rows = await query.orderBy("seq", "desc").limit(limit).execute();
  return rows.map(messageFromRow);
}

/** Back to the newest user message, when the given newest messages do not reach to one; newest first. */
async function restOfTurn(
  db: Kysely<Schema>,
  sessionId: SessionId,
  newestFirst: readonly TranscriptMessage[],
): Promise<readonly TranscriptMessage[]> {
  const oldest = newestFirst.at(-1);
  if (oldest === undefined || newestFirst.some((message) => message.role === "user")) return [];
  const asked = await db
    .selectFrom("messages")
    .select("seq")
    .where("session_id", "=", sessionId)
    .where("role", "=", "user")
    .where("seq", "<", oldest.seq)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (asked === undefined) return [];
  const rows = await db
    .selectFrom("messages")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("seq", ">=", asked.seq)
    .where("seq", "<", oldest.seq)
    .orderBy("seq", "desc")
    .execute();
  return rows.map(messageFromRow);
}

async function continuedFrom(db: Kysely<Schema>, sessionId: SessionId): Promise<Life | null> {
  const row = await db
    .selectFrom("session_ids")
    .select(["fork_session_id", "fork_seq"])
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  if (row === undefined || row.fork_session_id === null) return null;
  return { sessionId: row.fork_session_id, upTo: row.fork_seq };
}
