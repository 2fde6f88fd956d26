import { type TranscriptMessage, textOf } from "../core/message/transcript.ts";
import type { ModelRef } from "../core/model.ts";
import type { Session } from "../core/session/session.ts";
import type { TurnFence } from "../core/session/turn.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { textTokens, totalTokens } from "../sessions/context-size.ts";
import { compactSession } from "../store/steps/turns/compact-session.ts";
import type { Store } from "../store/store.ts";
import { type SummaryCall, summarise } from "./summary.ts";

/** A summary is worth waiting for so long; then the oldest messages are left out instead. */
const SUMMARY_MS = 90_000;
/** Of the request a turn works on, when the cut lies behind it. */
const REQUEST_BYTES = 8_000;

export interface Compaction extends Omit<SummaryCall, "models"> {
  readonly store: Store;
  readonly session: Pick<Session, "key" | "sessionId" | "agentId">;
  readonly models: readonly ModelRef[];
  /** The context as it is, oldest first. */
  readonly messages: readonly TranscriptMessage[];
  /** The index of the first message that stays. */
  readonly cut: number;
  readonly fence: TurnFence | null;
  /** `turn:<id>` or a command's key; with the place of the cut it is the compaction's identity. */
  readonly cause: string;
  readonly actor: string;
}

/**
 * TN-12: summarises what stands before the cut and stores the entry that takes its place. Answers the size of the context
 * afterwards in tokens; null: another life or another compaction came first. Rejects when no summary could be made.
 */
export async function compact(compaction: Compaction): Promise<number | null> {
  const { messages, cut, store, session } = compaction;
  const older = messages.slice(0, cut);
  const kept = messages.slice(cut);
  const last = older.at(-1);
  if (last === undefined) return null;
  const signal = AbortSignal.any([compaction.signal, AbortSignal.timeout(SUMMARY_MS)]);
  const { text, usage, model } = await summarise(older, { ...compaction, signal });
  const summary = withRequest(text, older, kept);
  const contextTokens = Math.round(textTokens(summary) + totalTokens(kept));
  const stored = await store.step(compactSession, {
    sessionKey: session.key,
    sessionId: session.sessionId,
    fence: compaction.fence,
    cause: compaction.cause,
    summary,
    uptoSeq: last.seq,
    measuredSeq: messages.at(-1)?.seq ?? last.seq,
    agentId: session.agentId,
    model,
    usage,
    contextTokens,
    actor: compaction.actor,
  });
  return stored ? contextTokens : null;
}

/** A cut behind the request that is worked on keeps its very words: a summary is no order. */
function withRequest(summary: string, older: readonly TranscriptMessage[], kept: readonly TranscriptMessage[]): string {
  if (kept[0]?.role === "user") return summary;
  const request = older.findLast((message) => message.role === "user");
  if (request === undefined) return summary;
  return `${summary}\n\nThe request that is being worked on, word for word:\n${cutMiddle(textOf(request.parts), REQUEST_BYTES).text}`;
}
