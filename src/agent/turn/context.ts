import type { TranscriptMessage } from "../../core/message/transcript.ts";
import type { ModelFacts } from "../../core/models.ts";
import type { Logger } from "../../core/runtime.ts";
import {
  compactionCut,
  contextSize,
  fitWindow,
  isSummary,
  messageTokens,
  pruneResults,
  pruningOf,
  totalTokens,
  WINDOW_ROWS,
} from "../../sessions/context-window.ts";
import { isFenced } from "../../store/parts/fence.ts";
import { compactionState, contextTail } from "../../store/reads/turns/context.ts";
import { compactSession } from "../../store/steps/turns/compact-session.ts";
import type { Slot } from "../../work/work-queue.ts";
import { compact } from "../compaction.ts";
import type { TurnDeps, TurnFrame } from "./ports.ts";

/** After a compaction so much of the window is left of the messages, and after an overflow less. */
const KEPT_SHARE = 0.3;
const KEPT_AFTER_OVERFLOW = 0.12;
/** Messages beyond this are left out whatever the count says: the answer needs room. */
const FULL_SHARE = 0.95;
/** The cautious share when no summary could be made (TN-12). */
const CUT_SHARE = 0.75;
/** Shortening results that would save less is not worth losing the provider's prompt cache. */
const WORTH_PRUNING = 0.05;

/** The messages of each model call of a turn. */
export interface TurnContext {
  /** `shrink`: how often the model found the context too large at this call (TN-6); `overhead`: tokens of prompt and tools. */
  messages(
    facts: Pick<ModelFacts, "contextTokens">,
    call: { readonly shrink: number; readonly overhead: number },
  ): Promise<readonly TranscriptMessage[]>;
}

export interface TurnContextWork {
  readonly frame: TurnFrame;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
}

/**
 * TN-12: a context that would pass the threshold is made smaller first: old, large tool results are shortened, then older messages
 * are summarised. A summary that fails is tried once per turn; then the oldest messages are left out of the call.
 */
export function createTurnContext(work: TurnContextWork, deps: TurnDeps): TurnContext {
  const { frame, signal, slot, log } = work;
  const { turn, session, agent, models } = frame;
  const fence = { turnId: turn.id, fence: turn.fence };
  let failed = false;

  async function read(): Promise<Context> {
    const [tail, state] = await Promise.all([
      deps.store.read(contextTail, { sessionId: turn.sessionId, limit: WINDOW_ROWS }),
      deps.store.read(compactionState, turn.sessionId),
    ]);
    return { ...state, whole: tail, messages: pruneResults(tail, state.prunedUpTo) };
  }

  /** Stores how far results are shortened from now on; the context as it is then, or null: it would not help enough. */
  async function prune(context: Context, window: number): Promise<Context | null> {
    const pruning = pruningOf(context.whole, context.prunedUpTo);
    if (pruning === null || pruning.saved < window * WORTH_PRUNING) return null;
    const messages = pruneResults(context.whole, pruning.upToSeq);
    await deps.store.step(compactSession, {
      sessionKey: session.key,
      sessionId: turn.sessionId,
      fence,
      cause: `pruning:${turn.id}:${pruning.upToSeq}`,
      summary: null,
      uptoSeq: pruning.upToSeq,
      measuredSeq: context.whole.at(-1)?.seq ?? pruning.upToSeq,
      agentId: agent.id,
      model: "",
      usage: { input: 0, output: 0, cached: 0 },
      contextTokens: Math.round(totalTokens(messages)),
      actor: agent.id,
    });
    return read();
  }

  async function summarise(context: Context, tokens: number): Promise<Context | null> {
    const cut = compactionCut(context.messages, { tokens, rows: WINDOW_ROWS / 2 });
    if (failed || cut === null) return null;
    try {
      const size = await compact({
        store: deps.store,
        runner: deps.runner(),
        backoff: deps.backoff,
        session: { key: session.key, sessionId: turn.sessionId, agentId: agent.id },
        models,
        messages: context.messages,
        cut,
        fence,
        cause: `turn:${turn.id}:${context.messages[cut]?.seq ?? 0}`,
        actor: agent.id,
        instructions: null,
        signal,
        slot,
        log,
      });
      log.info({ messages: cut, tokens: size }, "older messages were summarised");
      return read();
    } catch (error) {
      if (signal.aborted || isFenced(error)) throw error;
      failed = true;
      log.warn({ err: error }, "no summary could be made; the oldest messages are left out");
      return null;
    }
  }

  return {
    messages: async ({ contextTokens: window }, { shrink, overhead }) => {
      let context = await read();
      const limit = window * agent.compaction.threshold;
      const isOver = (): boolean =>
        shrink > 0 ||
        context.whole.length >= WINDOW_ROWS ||
        contextSize(context.messages, { overhead, measuredAfter: context.measuredAfter }) > limit ||
        overhead + totalTokens(context.messages) > window * FULL_SHARE;
      if (isOver()) context = (await prune(context, window)) ?? context;
      const kept = window * (shrink > 0 ? KEPT_AFTER_OVERFLOW : KEPT_SHARE);
      const smaller = isOver() ? await summarise(context, kept) : null;
      const { messages } = smaller ?? context;
      const share = failed || shrink > 0 ? CUT_SHARE / 2 ** shrink : FULL_SHARE;
      return fitted(messages, Math.max(0, window * share - overhead));
    },
  };
}

/** What fits, and before it the entry that stands for what was summarised. */
function fitted(messages: readonly TranscriptMessage[], maxTokens: number): readonly TranscriptMessage[] {
  const [entry, ...rest] = messages;
  if (entry === undefined || !isSummary(entry)) return fitWindow(messages, maxTokens);
  return [entry, ...fitWindow(rest, maxTokens - messageTokens(entry), { goesOn: true })];
}

interface Context {
  readonly whole: readonly TranscriptMessage[];
  readonly messages: readonly TranscriptMessage[];
  readonly prunedUpTo: number;
  readonly measuredAfter: number;
}
