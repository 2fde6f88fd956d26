import type { Compacted, CompactRequest } from "../commands/command.ts";
import { ModelError } from "../core/errors.ts";
import { type TranscriptMessage, textOf } from "../core/message/transcript.ts";
import type { ModelRef } from "../core/model.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Session } from "../core/session/session.ts";
import type { TurnFence } from "../core/session/turn.ts";
import type { Settings } from "../core/settings.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { summaryTexts } from "../core/texts/agent/summary.ts";
import type { LocalTime } from "../core/time.ts";
import { pruneResults, textTokens, totalTokens, WINDOW_ROWS, wholeCut } from "../sessions/context-window.ts";
import { sessionModel } from "../sessions/session-model.ts";
import { compactionState, contextTail, hasCompaction } from "../store/reads/turns/context.ts";
import { compactSession } from "../store/steps/turns/compact-session.ts";
import type { Store } from "../store/store.ts";
import type { BackoffPolicy } from "./model-call.ts";
import { DailyLimitReached, withinDailyLimit } from "./model-call.ts";
import type { AgentRunner } from "./runner.ts";
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
  return summaryTexts.withRequest(summary, cutMiddle(textOf(request.parts), REQUEST_BYTES).text);
}

export interface CompactOnDemandDeps extends Pick<Runtime, "log" | "clock"> {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly runner: () => AgentRunner;
  readonly localTime: LocalTime;
  readonly backoff: BackoffPolicy;
}

/** `/compact` (TN-12): refused when the agent's day is spent (TN-19); outside a turn, beside one that runs; what it works on stays in its context. */
export function createCompactOnDemand(deps: CompactOnDemandDeps): (request: CompactRequest) => Promise<Compacted> {
  return async ({ session, instructions, cause, actor, signal }) => {
    const { store, log } = deps;
    const settings = deps.settings();
    const agent = settings.agents.get(session.agentId);
    if (agent === undefined) return { result: "nothing" };
    if (await store.read(hasCompaction, cause)) return { result: "done_before" };
    const [tail, { prunedUpTo }] = await Promise.all([
      store.read(contextTail, { sessionId: session.sessionId, limit: WINDOW_ROWS }),
      store.read(compactionState, session.sessionId),
    ]);
    const messages = pruneResults(tail, prunedUpTo);
    const cut = wholeCut(messages);
    if (cut === null) return { result: "nothing" };
    const model = sessionModel(settings, agent, session);
    try {
      await withinDailyLimit({ settings, agent }, deps);
      const tokens = await compact({
        store,
        runner: deps.runner(),
        backoff: deps.backoff,
        session,
        models: [model, ...agent.fallbacks],
        messages,
        cut,
        fence: null,
        cause,
        actor,
        instructions,
        signal,
        // A command has no slot of the turns to give back.
        slot: { released: (wait) => wait() },
        log,
      });
      return tokens === null ? { result: "nothing" } : { result: "compacted", messages: cut, tokens };
    } catch (error) {
      if (error instanceof DailyLimitReached) return { result: "daily_limit" };
      if (!(error instanceof ModelError)) throw error;
      log.warn({ err: error, session: session.key }, "no summary could be made");
      return { result: "failed" };
    }
  };
}
