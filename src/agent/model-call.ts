import { ModelError } from "../core/errors.ts";
import { type MessagePart, type TokenUsage, textOf } from "../core/message/transcript.ts";
import type { FinishReason, ModelRef, ModelRequest, StepEvent } from "../core/model.ts";
import { modelFacts, modelRefText } from "../core/models.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { type ChainStop, modelCallStop } from "../core/session/chain.ts";
import { reachedLimit } from "../core/session/spending.ts";
import type { Turn } from "../core/session/turn.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { sanitise } from "../core/text/sanitise.ts";
import {
  ABORTED_WHILE_WAITING,
  ENDED_WITHOUT_END,
  emptyAnswerNudge,
  MODEL_ERRORS,
  NO_MODEL,
} from "../core/texts/agent/wire.ts";
import type { LocalTime } from "../core/time.ts";
import { backoffMs, jittered, pause } from "../core/time.ts";
import { chainUse } from "../store/reads/runs/chains.ts";
import { spentSince } from "../store/reads/turns/spending.ts";
import { stopChain } from "../store/steps/runs/stop-chain.ts";
import type { Store } from "../store/store.ts";
import type { Slot } from "../work/work-queue.ts";
import type { AgentRunner } from "./runner.ts";

export interface ModelCall {
  readonly runner: AgentRunner;
  /** The model, then the agent's fallbacks in order (TN-6). */
  readonly models: readonly ModelRef[];
  /** Built again for each model and after an overflow: `shrink` counts how often the context was too large. */
  readonly request: (model: ModelRef, shrink: number) => Promise<ModelRequest>;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
  /** All text of this attempt so far. */
  readonly onText: (text: string) => void;
  readonly backoff: BackoffPolicy;
  /** The answer is not shown to people, so it may be empty. */
  readonly mayBeEmpty?: boolean;
}

export interface ModelAnswer {
  readonly model: ModelRef;
  readonly parts: readonly MessagePart[];
  readonly usage: TokenUsage;
  readonly finish: FinishReason;
}

export interface BackoffPolicy {
  /** Milliseconds before try `attempt` (1 is the first retry). */
  delayMs(attempt: number, retryAfterMs: number | null): number;
}

/** TN-6: 1, 2, 4, 8 seconds with jitter, or what the provider asked for. */
export const MODEL_BACKOFF: BackoffPolicy = {
  delayMs: (attempt, retryAfterMs) =>
    retryAfterMs ?? jittered(backoffMs({ firstMs: 1_000, longestMs: 60_000 }, attempt)),
};

const MAX_RETRIES = 4;
/** An answer that came and could not be read was paid for. */
const MAX_UNREADABLE = 1;
/** FC-306: a longer wait is left to the fallback, or ends the turn. */
const LONGEST_WAIT_MS = { withFallback: 5_000, alone: 60_000 };
const MAX_SHRINKS = 1;

/**
 * One step's answer (TN-6): 429, 5xx and network errors are tried again up to four times, an unreadable answer once, an empty one
 * once with a nudge (FC-311), then the fallbacks in order. A context that is too large is cut once. Throws the last ModelError; the wait between tries holds no slot.
 */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  let last: ModelError | null = null;
  for (const [at, model] of call.models.entries()) {
    const longest = at < call.models.length - 1 ? LONGEST_WAIT_MS.withFallback : LONGEST_WAIT_MS.alone;
    const result = await tryModel(call, model, longest);
    if (!(result instanceof ModelError)) return result;
    if (result.code === "aborted") throw result;
    last = result;
    call.log.warn({ model: modelRefText(model), code: result.code, err: result.message }, "model failed");
  }
  throw last ?? new ModelError("unavailable", NO_MODEL);
}

async function tryModel(call: ModelCall, model: ModelRef, longestMs: number): Promise<ModelAnswer | ModelError> {
  let shrink = 0;
  let unreadable = 0;
  let isNudged = false;
  for (let attempt = 0; ; ) {
    const request = await call.request(model, shrink);
    const result = await once(call, isNudged ? nudged(request) : request);
    if (!(result instanceof ModelError)) return { model, ...result };
    if (result.code === "context_overflow" && shrink < MAX_SHRINKS) {
      shrink += 1;
      continue;
    }
    if (result.code === "no_answer" && !isNudged) {
      isNudged = true;
      continue;
    }
    if (result.code === "bad_response") unreadable += 1;
    if (!result.retryable || attempt >= MAX_RETRIES || unreadable > MAX_UNREADABLE) return result;
    attempt += 1;
    const wanted = call.backoff.delayMs(attempt, result.retryAfterMs);
    // With a fallback, a limit of minutes is not waited for. Without one it is waited for once, as long as a person may wait.
    if (wanted > longestMs && longestMs < LONGEST_WAIT_MS.alone && result.retryAfterMs !== null) return result;
    if (wanted > longestMs) attempt = MAX_RETRIES;
    const delay = Math.min(wanted, longestMs);
    call.log.info(
      { model: modelRefText(model), code: result.code, attempt, delayMs: Math.round(delay) },
      "model call is tried again",
    );
    await call.slot.released(() => pause(delay, call.signal));
    if (call.signal.aborted) return new ModelError("aborted", ABORTED_WHILE_WAITING);
  }
}

/** The same request, and a word that an answer is wanted (FC-311). */
function nudged(request: ModelRequest): ModelRequest {
  return {
    ...request,
    messages: [...request.messages, { role: "user", parts: [{ type: "text", text: emptyAnswerNudge }] }],
  };
}

async function once(call: ModelCall, request: ModelRequest): Promise<Omit<ModelAnswer, "model"> | ModelError> {
  let text = "";
  for await (const event of call.runner.step(request, call.signal)) {
    switch (event.type) {
      case "text":
        text += event.delta;
        call.onText(text);
        break;
      case "reasoning":
        break;
      case "failed":
        return event.error;
      case "done":
        return emptiness(event, call) ?? event;
    }
  }
  return new ModelError("bad_response", ENDED_WITHOUT_END);
}

/** FC-311: silence is said by the control word; an answer without any words is none. null: it is one. */
function emptiness({ parts, finish }: StepEvent & { type: "done" }, { mayBeEmpty }: ModelCall): ModelError | null {
  if (parts.some(({ type }) => type === "tool_call") || sanitise(textOf(parts)).text.trim() !== "") return null;
  if (finish === "filtered") return new ModelError("filtered", MODEL_ERRORS.filtered);
  return mayBeEmpty === true ? null : new ModelError("no_answer", MODEL_ERRORS.no_answer);
}

/** TN-19: the agent's day is spent; the turn ends, and people are told once. */
export class DailyLimitReached extends Error {
  override readonly name = "DailyLimitReached";
}

/** Asked before every model call, so that one long turn does not pass the limit by far. Rejects with `DailyLimitReached`. */
export async function withinDailyLimit(
  { settings, agent }: { readonly settings: Settings; readonly agent: AgentSettings },
  {
    store,
    clock,
    localTime,
  }: { readonly store: Pick<Store, "read">; readonly clock: Clock; readonly localTime: LocalTime },
): Promise<void> {
  const { daily } = settings.limits;
  if (daily.tokens === 0 && daily.cost === 0) return;
  const since = localTime.lastHour(clock.now(), agent.userTimezone, 0);
  const spent = await store.read(spentSince, { agentId: agent.id, since });
  const reached = reachedLimit(daily, spent, (model) => modelFacts(settings.models, refOf(model)).price);
  if (reached !== null) throw new DailyLimitReached(reached);
}

/** ST-28: what set the turn off may go no further; the person it comes from is told by the step that found it. */
export class ChainStopped extends Error {
  override readonly name = "ChainStopped";
  readonly chain: string;
  readonly by: ChainStop;

  constructor(chain: string, by: ChainStop) {
    super(by);
    this.chain = chain;
    this.by = by;
  }
}

/** Asked before every model call of a turn that no person asked for. Rejects with `ChainStopped`. */
export async function withinChain(
  { settings, turn }: { readonly settings: Settings; readonly turn: Pick<Turn, "source"> },
  { store }: { readonly store: Pick<Store, "read" | "step"> },
): Promise<void> {
  const { chain } = turn.source;
  if (chain === null) return;
  const limits = settings.session.chains;
  const use = await store.read(chainUse, chain.id);
  if (use === null || modelCallStop(use, limits) === null) return;
  const by = await store.step(stopChain, { id: chain.id, limits });
  if (by !== null) throw new ChainStopped(chain.id, by);
}

function refOf(model: string): ModelRef {
  const cut = model.indexOf("/");
  return { provider: model.slice(0, cut), model: model.slice(cut + 1) };
}
