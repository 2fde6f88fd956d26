import type { SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { StepContext } from "../store.ts";

/** The last message of a life that a fork shares. */
export interface ForkPoint {
  readonly sessionId: SessionId;
  readonly seq: number;
}

/**
 * Part of a step: where a child's copy of the requester's history ends (SP-5): the current message and finished tool results
 * are in it, the step that holds the spawn call is not, nor anything of a step that still runs. null: there is no history.
 */
export async function forkPoint(
  { db }: StepContext,
  parent: Session,
  maxTokens: number,
): Promise<ForkPoint | "over_window" | null> {
  if (parent.contextTokens > maxTokens) return "over_window";
  const open = await db
    .selectFrom("turns")
    .select("id")
    .where("session_key", "=", parent.key)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  const step = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.max("seq").as("seq"))
    .where("session_id", "=", parent.sessionId)
    .where("turn_id", "=", open?.id ?? "")
    .where("role", "=", "assistant")
    .executeTakeFirst();
  const before = open === undefined || step?.seq == null ? Number.MAX_SAFE_INTEGER : Number(step.seq);
  const last = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.max("seq").as("seq"))
    .where("session_id", "=", parent.sessionId)
    .where("seq", "<", before)
    .executeTakeFirst();
  return last?.seq == null ? null : { sessionId: parent.sessionId, seq: Number(last.seq) };
}

/** Part of a step: the newest life of a session goes on from there. */
export async function continueFrom({ db }: StepContext, key: SessionKey, from: ForkPoint): Promise<void> {
  await db
    .updateTable("session_ids")
    .set({ fork_session_id: from.sessionId, fork_seq: from.seq })
    .where("session_key", "=", key)
    .where("ended_at", "is", null)
    .execute();
}
