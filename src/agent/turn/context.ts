import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { TranscriptMessage } from "../../core/message/transcript.ts";
import type { ModelMessage, ModelRef, ModelRequest } from "../../core/model.ts";
import { type ModelFacts, modelRefText } from "../../core/models.ts";
import type { Clock, Logger } from "../../core/runtime.ts";
import { type Session, THINKING_LEVELS, type ThinkingLevel } from "../../core/session/session.ts";
import type { Turn } from "../../core/session/turn.ts";
import type { AgentSettings, Settings } from "../../core/settings.ts";
import type { LocalTime } from "../../core/time.ts";
import { placePrompt } from "../../routing/places.ts";
import {
  compactionCut,
  contextSize,
  fitWindow,
  isSummary,
  messageTokens,
  pruneResults,
  pruningOf,
  sessionModel,
  textTokens,
  toModelMessages,
  totalTokens,
  WINDOW_ROWS,
} from "../../sessions/context-window.ts";
import type { ReadAttachment } from "../../sessions/file-content.ts";
import { isFenced } from "../../store/parts/sessions.ts";
import { runsOf } from "../../store/reads/runs/runs.ts";
import { compactionState, contextTail } from "../../store/reads/turns/context.ts";
import { compactSession } from "../../store/steps/turns/compact-session.ts";
import type { Store } from "../../store/store.ts";
import type { EffectiveToolsOf } from "../../tools/policy.ts";
import type { Slot } from "../../work/work-queue.ts";
import { compact } from "../compaction.ts";
import { type PromptFacts, promptText, stateNote, systemPrompt } from "../prompt.ts";
import type { AgentRunner } from "../runner.ts";
import type { TurnDeps, TurnFrame } from "./ports.ts";

/** After a compaction so much of the window is left of the messages, and after an overflow less. */
const KEPT_SHARE = 0.3;
const KEPT_AFTER_OVERFLOW = 0.12;
/** Messages beyond this are always left out: the answer needs room. */
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
  /** Made at the turn's first call and kept: one that changed within the turn would move what follows it out of every cache. */
  note(make: () => string | null): string | null;
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
  let noted: { readonly text: string | null } | null = null;

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
    note: (make) => {
      noted ??= { text: make() };
      return noted.text;
    },
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

/** CP-9: how long an ended child is still mentioned. */
const RECENT_MS = 30 * 60_000;

interface FrameFacts {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly session: Session;
  readonly turn: Turn;
  readonly items: readonly InboxItem[];
}

export function buildFrame(facts: FrameFacts, effectiveTools: EffectiveToolsOf): TurnFrame {
  const { settings, agent, session, turn } = facts;
  const model = sessionModel(settings, agent, session);
  const tools = effectiveTools({ settings, agent, session, rights: turn.source.rights, model });
  const models = [model, ...agent.fallbacks.filter((ref) => modelRefText(ref) !== modelRefText(model))];
  return { settings, agent, session, turn, models, thinking: thinkingOf(facts), tools };
}

/** A directive applies to its message only (CM-7); then the session's setting, then the agent's. */
function thinkingOf({ agent, session, items }: FrameFacts): ThinkingLevel | null {
  const directed = items.findLast((item) => item.payload.kind === "event" && item.payload.directives.thinking !== null);
  const wanted = directed?.payload.kind === "event" ? directed.payload.directives.thinking : null;
  const level = THINKING_LEVELS.find((known) => known === wanted);
  return level ?? session.thinking ?? agent.thinking;
}

/** The request of the turn's next step: the prompt, and as much of the transcript as the model's window takes. */
export async function buildRequest(
  frame: TurnFrame,
  call: { readonly model: ModelRef; readonly shrink: number; readonly context: TurnContext },
  deps: {
    readonly store: Store;
    readonly runner: AgentRunner;
    readonly clock: Clock;
    readonly readAttachment: ReadAttachment;
    readonly localTime: LocalTime;
  },
): Promise<ModelRequest> {
  const { session, agent, turn, settings } = frame;
  const now = deps.clock.now();
  const runs = await deps.store.read(runsOf, { sessionKey: session.key, endedSince: now - RECENT_MS });
  const facts: PromptFacts = {
    agent,
    session,
    source: turn.source,
    toolNames: frame.tools.tools.map((tool) => tool.name),
    timeText: (at) => deps.localTime.minute(at, agent.userTimezone),
    today: deps.localTime.day(now, agent.userTimezone),
    placePrompt: placePrompt(settings, turn.source.rights.group),
    activeRuns: runs.filter((run) => run.state !== "ended"),
    recentRuns: runs.filter((run) => run.state === "ended"),
  };
  const system = promptText(systemPrompt(facts));
  const note = call.context.note(() => stateNote(facts));
  const tools = frame.tools.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters(),
  }));
  const model = deps.runner.facts(call.model);
  const overhead = textTokens(system) + textTokens(note ?? "") + textTokens(JSON.stringify(tools));
  const messages = await call.context.messages(model, { shrink: call.shrink, overhead });
  return {
    model: call.model,
    system,
    // As many bytes as the window has tokens: a quarter of it, so that a file leaves room for the question in a small one.
    messages: withNote(
      await toModelMessages(messages, {
        images: model.images,
        fileBytes: model.contextTokens,
        read: deps.readAttachment,
      }),
      note,
    ),
    tools,
    thinking: frame.thinking,
  };
}

/** Right before the inputs the model answers now: everything before stays the same bytes as in the turn before (FC-234). */
function withNote(messages: readonly ModelMessage[], note: string | null): readonly ModelMessage[] {
  if (note === null) return messages;
  const last = messages.findLastIndex(({ role }) => role === "user");
  const before = messages.slice(0, Math.max(last, 0)).findLastIndex(({ role }) => role !== "user");
  return messages.toSpliced(before + 1, 0, { role: "user", parts: [{ type: "text", text: note }] });
}
