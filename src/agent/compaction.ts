import type { Compacted, CompactRequest } from "../commands/command.ts";
import { ModelError } from "../core/errors.ts";
import { type MessagePart, type TokenUsage, type TranscriptMessage, textOf } from "../core/message/transcript.ts";
import type { ModelRef, ModelRequest } from "../core/model.ts";
import { modelRefText } from "../core/models.ts";
import type { Logger, Runtime } from "../core/runtime.ts";
import type { Session } from "../core/session/session.ts";
import type { TurnFence } from "../core/session/turn.ts";
import type { Settings } from "../core/settings.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { sanitise } from "../core/text/sanitise.ts";
import { summaryTexts } from "../core/texts/agent/prompt.ts";
import { SUMMARY_CUT, SUMMARY_EMPTY } from "../core/texts/agent/wire.ts";
import type { LocalTime } from "../core/time.ts";
import {
  pruneResults,
  sessionModel,
  textTokens,
  totalTokens,
  WINDOW_ROWS,
  wholeCut,
} from "../sessions/context-window.ts";
import { compactionState, contextTail, hasCompaction } from "../store/reads/turns/context.ts";
import { compactSession } from "../store/steps/turns/compact-session.ts";
import type { Store } from "../store/store.ts";
import type { Slot } from "../work/work-queue.ts";
import { type BackoffPolicy, callModel, DailyLimitReached, withinDailyLimit } from "./model-call.ts";
import type { AgentRunner } from "./runner.ts";

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

/** Of one message and of one tool result so many bytes are shown to the summariser. */
const MESSAGE_BYTES = 6_000;
const RESULT_BYTES = 2_000;
/** Of the window, so much is given to one call; more is summarised in several. */
const CALL_SHARE = 0.35;
const MAX_SUMMARY_BYTES = 16 * 1024;

export interface SummaryCall {
  readonly runner: AgentRunner;
  readonly models: readonly ModelRef[];
  /** What the summary should focus on; null: nothing. */
  readonly instructions: string | null;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
  readonly backoff: BackoffPolicy;
}

export interface Summary {
  readonly text: string;
  readonly usage: TokenUsage;
  /** `provider/model` of the one that answered last. */
  readonly model: string;
}

/** Has a model summarise messages (TN-12), in as many calls as its window needs. Rejects with a ModelError. */
export async function summarise(messages: readonly TranscriptMessage[], call: SummaryCall): Promise<Summary> {
  const [first] = call.models;
  const room = first === undefined ? 0 : call.runner.facts(first).contextTokens * CALL_SHARE;
  let text = "";
  let model = "";
  let usage: TokenUsage = { input: 0, output: 0, cached: 0 };
  for (const chunk of chunksOf(messages.map(lineOf), room)) {
    const one = await summariseChunk(text, chunk, call);
    text = one.text;
    model = one.model;
    usage = {
      input: usage.input + one.usage.input,
      output: usage.output + one.usage.output,
      cached: usage.cached + one.usage.cached,
    };
  }
  return { text, usage, model };
}

async function summariseChunk(before: string, chunk: string, call: SummaryCall): Promise<Summary> {
  const text = summaryTexts.request(before, chunk);
  const request = (ref: ModelRef): Promise<ModelRequest> =>
    Promise.resolve({
      model: ref,
      system: summaryTexts.system(call.instructions),
      messages: [{ role: "user", parts: [{ type: "text", text }] }],
      tools: [],
      thinking: null,
    });
  const answer = await callModel({ ...call, request, onText: () => undefined });
  // FC-313: what the summariser thought is no summary, and half of one must not take the conversation's place.
  if (answer.finish === "length") throw new ModelError("bad_response", SUMMARY_CUT);
  const summary = cutMiddle(sanitise(textOf(answer.parts)).text.trim(), MAX_SUMMARY_BYTES).text;
  if (summary === "") throw new ModelError("bad_response", SUMMARY_EMPTY);
  return { text: summary, usage: answer.usage, model: modelRefText(answer.model) };
}

function chunksOf(lines: readonly string[], room: number): readonly string[] {
  const chunks: string[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const size = textTokens(line);
    if (used + size > room) {
      chunks.push([]);
      used = 0;
    }
    chunks.at(-1)?.push(line);
    used += size;
  }
  return chunks.map((chunk) => chunk.join("\n"));
}

function lineOf({ role, parts }: TranscriptMessage): string {
  const shown = parts.map(partText).filter((part) => part !== "");
  // Further lines are set in, so that no text passes for another role's message.
  return `${role}: ${shown.join("\n").replace(/[\n\r\v\f\u0085\u2028\u2029]/g, "\n  ")}`;
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return cutMiddle(part.text, MESSAGE_BYTES).text;
    case "reasoning":
      return "";
    case "tool_call":
      return summaryTexts.call(part.name, cutMiddle(JSON.stringify(part.args), RESULT_BYTES).text);
    case "tool_result":
      return summaryTexts.result(part.name, cutMiddle(JSON.stringify(part.result), RESULT_BYTES).text);
    case "attachment":
      return summaryTexts.file(part.attachment.name, part.attachment.mime);
  }
}
