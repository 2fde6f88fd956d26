import type { AgentId, SessionId } from "../../../core/ids.ts";
import type { TokenUsage } from "../../../core/message/transcript.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { OLDER_MESSAGES_SUMMARISED } from "../../../core/texts/agent/session-notices.ts";
import { logStateEvent } from "../../parts/session-log.ts";
import { passFence } from "../../parts/sessions.ts";
import { countSpending } from "../../parts/transcript.ts";
import { defineStep } from "../../store.ts";

export interface CompactInput {
  readonly sessionKey: SessionKey;
  /** The life it is about; after a reset meanwhile nothing is stored. */
  readonly sessionId: SessionId;
  /** The open turn that made it; null: a command. */
  readonly fence: TurnFence | null;
  /** Unique per compaction, so that one made again after a crash is one. */
  readonly cause: string;
  /** `summary`: replaces the messages up to `uptoSeq`; null: only their large tool results are shortened. */
  readonly summary: string | null;
  readonly uptoSeq: number;
  /** The newest message there was: token counts of messages up to it no longer hold. */
  readonly measuredSeq: number;
  readonly agentId: AgentId;
  /** The model that was asked, `provider/model`. */
  readonly model: string;
  /** What the summary cost. */
  readonly usage: TokenUsage;
  /** The size of the context afterwards, estimated, in tokens. */
  readonly contextTokens: number;
  readonly actor: string;
}

/**
 * TN-12: a session's context restarts after one stored entry; the messages it replaces stay in the transcript. Returns
 * false, with nothing changed, if the session was reset or compacted further meanwhile.
 */
export const compactSession = defineStep(
  "compact-session",
  "normal",
  async (context, input: CompactInput): Promise<boolean> => {
    const { db, now } = context;
    if (input.fence !== null) await passFence(context, input.fence);
    const session = await db
      .selectFrom("sessions")
      .select("session_id")
      .where("key", "=", input.sessionKey)
      .executeTakeFirst();
    if (session?.session_id !== input.sessionId) return false;
    const kind = input.summary === null ? "pruning" : "summary";
    const further = await db
      .selectFrom("compactions")
      .select("cause")
      .where("session_id", "=", input.sessionId)
      .where("kind", "=", kind)
      .where("upto_seq", ">=", input.uptoSeq)
      .limit(1)
      .executeTakeFirst();
    if (further !== undefined) return further.cause === input.cause;
    await db
      .insertInto("compactions")
      .values({
        session_id: input.sessionId,
        kind,
        upto_seq: input.uptoSeq,
        measured_seq: input.measuredSeq,
        summary: input.summary,
        cause: input.cause,
        created_at: now,
      })
      .execute();
    await db
      .updateTable("sessions")
      .set((eb) => ({
        context_tokens: input.contextTokens,
        input_tokens: eb("input_tokens", "+", input.usage.input),
        output_tokens: eb("output_tokens", "+", input.usage.output),
        cached_tokens: eb("cached_tokens", "+", input.usage.cached),
      }))
      .where("key", "=", input.sessionKey)
      .execute();
    if (kind === "pruning") return true;
    const { agentId, model, usage } = input;
    await countSpending(context, { agentId, model, usage });
    await logStateEvent(context, {
      sessionKey: input.sessionKey,
      kind: "compacted",
      actorType: input.fence === null ? "human" : "system",
      actor: input.actor,
      runId: null,
      summary: OLDER_MESSAGES_SUMMARISED,
      payload: { contextTokens: input.contextTokens },
    });
    return true;
  },
);
