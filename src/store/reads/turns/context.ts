import type { Kysely } from "kysely";
import type { SessionId } from "../../../core/ids.ts";
import { COMPACTION, type TranscriptMessage } from "../../../core/message/transcript.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { conversationSummary } from "../../../core/texts/agent/session-notices.ts";
import { messageFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

/** Forks of forks end where nothing is left to read; this only keeps damaged rows from being read in a circle. */
const MAX_FORKS = 20;

/** No sequence is above it. */
const NEWEST = Number.MAX_SAFE_INTEGER;

const newest = defineStatement(
  (db, p: { readonly sessionId: SessionId; readonly after: number; readonly upTo: number; readonly limit: number }) =>
    db
      .selectFrom("messages")
      .selectAll()
      .where("session_id", "=", p.sessionId)
      .where("seq", ">", p.after)
      .where("seq", "<=", p.upTo)
      .orderBy("seq", "desc")
      .limit(p.limit),
);

const forkOf = defineStatement((db, p: { readonly sessionId: SessionId }) =>
  db.selectFrom("session_ids").select(["fork_session_id", "fork_seq"]).where("session_id", "=", p.sessionId),
);

const newestSummary = defineStatement((db, p: { readonly sessionId: SessionId; readonly upTo: number }) =>
  db
    .selectFrom("compactions")
    .innerJoin("session_ids", "session_ids.session_id", "compactions.session_id")
    .select(["compactions.upto_seq", "compactions.summary", "compactions.created_at", "session_ids.session_key"])
    .where("compactions.session_id", "=", p.sessionId)
    .where("compactions.kind", "=", "summary")
    .where("compactions.upto_seq", "<=", p.upTo)
    .orderBy("compactions.upto_seq", "desc")
    .limit(1),
);

/**
 * The newest `limit` messages a model is shown of one life of a session, oldest first: its own, and before them those of the
 * life it continues from, up to the message it shares last (SP-5). Neither side's later messages show in the other. Where older
 * messages were summarised, the summary stands for them as the first message (TN-12). More than `limit` when what was asked
 * last lies further back: without it a long turn would forget what it works on, and begin with a result whose call no provider
 * has seen.
 */
export const contextTail = defineRead(
  "context-tail",
  async (
    db,
    input: { readonly sessionId: SessionId; readonly limit: number },
  ): Promise<readonly TranscriptMessage[]> => {
    const newestFirst: TranscriptMessage[] = [];
    let life: Life | null = { sessionId: input.sessionId, upTo: null };
    let summary: TranscriptMessage | null = null;
    for (let forks = 0; life !== null && newestFirst.length < input.limit && forks <= MAX_FORKS; forks += 1) {
      summary ??= await summaryOf(db, life);
      // A fork's summary may stand for messages of the life it continues from as well.
      const after: number = summary?.seq ?? 0;
      newestFirst.push(...(await messagesOf(db, { ...life, after }, input.limit - newestFirst.length)));
      if (forks === 0) newestFirst.push(...(await restOfTurn(db, { ...life, after }, newestFirst)));
      if (newestFirst.length < input.limit) life = await continuedFrom(db, life.sessionId);
    }
    if (summary !== null) newestFirst.push(summary);
    return newestFirst.reverse();
  },
);

interface Life {
  readonly sessionId: SessionId;
  /** The last message to read; null: the newest. */
  readonly upTo: number | null;
}

/** The newest entry that stands only for messages this reader shares; its sequence is that of the last of them. */
async function summaryOf(db: Kysely<Schema>, { sessionId, upTo }: Life): Promise<TranscriptMessage | null> {
  const row = await newestSummary.first(db, { sessionId, upTo: upTo ?? NEWEST });
  if (row === undefined) return null;
  const text = conversationSummary(row.summary ?? "");
  return {
    seq: row.upto_seq,
    sessionId,
    sessionKey: row.session_key as SessionKey,
    turnId: null,
    role: "user",
    parts: [{ type: "text", text }],
    provenance: { kind: "system", source: COMPACTION },
    usage: null,
    createdAt: row.created_at,
  };
}

async function messagesOf(
  db: Kysely<Schema>,
  life: Life & { readonly after: number },
  limit: number,
): Promise<readonly TranscriptMessage[]> {
  const { sessionId, after, upTo } = life;
  const rows = await newest.all(db, { sessionId, after, upTo: upTo ?? NEWEST, limit });
  return rows.map(messageFromRow);
}

/** Back to the newest user message, when the given newest messages do not reach to one; newest first. */
async function restOfTurn(
  db: Kysely<Schema>,
  { sessionId, after }: Life & { readonly after: number },
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
    .where("seq", ">", after)
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
  const row = await forkOf.first(db, { sessionId });
  if (row === undefined || row.fork_session_id === null) return null;
  return { sessionId: row.fork_session_id, upTo: row.fork_seq };
}

/** How far a life's context was made smaller (TN-12). */
export interface CompactionState {
  /** Large tool results up to this message are shown shortened; 0: none. */
  readonly prunedUpTo: number;
  /** Token counts of messages up to this one tell of a context that is no more; 0: all hold. */
  readonly measuredAfter: number;
}

const stateOf = defineStatement((db, p: { readonly sessionId: SessionId }) =>
  db
    .selectFrom("compactions")
    .select((eb) => [
      eb.fn.max(eb.case().when("kind", "=", "pruning").then(eb.ref("upto_seq")).else(0).end()).as("pruned"),
      eb.fn.max("measured_seq").as("measured"),
    ])
    .where("session_id", "=", p.sessionId),
);

export const compactionState = defineRead(
  "compaction-state",
  async (db, sessionId: SessionId): Promise<CompactionState> => {
    const row = await stateOf.first(db, { sessionId });
    return { prunedUpTo: Number(row?.pruned ?? 0), measuredAfter: Number(row?.measured ?? 0) };
  },
);

/** Whether a compaction asked for by this cause was made already. */
export const hasCompaction = defineRead("has-compaction", async (db, cause: string): Promise<boolean> => {
  const row = await db.selectFrom("compactions").select("cause").where("cause", "=", cause).executeTakeFirst();
  return row !== undefined;
});
