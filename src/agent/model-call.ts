import { ModelError } from "../core/errors.ts";
import type { MessagePart, TokenUsage } from "../core/message/transcript.ts";
import type { ModelRef, ModelRequest } from "../core/model.ts";
import { modelFacts, modelRefText } from "../core/models.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { reachedLimit } from "../core/session/spending.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import type { LocalTime } from "../core/time.ts";
import { backoffMs, jittered, pause } from "../core/waiting.ts";
import { spentSince } from "../store/reads/turns/spending.ts";
import type { Store } from "../store/store.ts";
import type { Slot } from "../work/work-queue.ts";
import type { AgentRunner } from "./runner.ts";

export interface ModelCall {
  readonly runner: AgentRunner;
  /** The model, then the agent's fallbacks in order (TN-6). */
  readonly models: readonly ModelRef[];
  /** Made anew per model and after an overflow: `shrink` counts how often the context was too large. */
  readonly request: (model: ModelRef, shrink: number) => Promise<ModelRequest>;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
  /** All text of this attempt so far. */
  readonly onText: (text: string) => void;
  readonly backoff: BackoffPolicy;
}

export interface ModelAnswer {
  readonly model: ModelRef;
  readonly parts: readonly MessagePart[];
  readonly usage: TokenUsage;
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
const MAX_SHRINKS = 1;

/**
 * One step's answer (TN-6): 429, 5xx, network and broken streams are tried again up to four times, then the fallbacks in
 * order. A context that is too large is cut once. Throws the last ModelError; the wait between tries holds no slot.
 */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  let last: ModelError | null = null;
  for (const model of call.models) {
    const result = await tryModel(call, model);
    if (!(result instanceof ModelError)) return result;
    if (result.code === "aborted") throw result;
    last = result;
    call.log.warn({ model: modelRefText(model), code: result.code, err: result.message }, "model failed");
  }
  throw last ?? new ModelError("unavailable", "no model is configured");
}

async function tryModel(call: ModelCall, model: ModelRef): Promise<ModelAnswer | ModelError> {
  let shrink = 0;
  for (let attempt = 0; ; ) {
    const result = await once(call, await call.request(model, shrink));
    if (!(result instanceof ModelError)) return { model, ...result };
    if (result.code === "context_overflow" && shrink < MAX_SHRINKS) {
      shrink += 1;
      continue;
    }
    if (!result.retryable || attempt >= MAX_RETRIES) return result;
    attempt += 1;
    const delay = call.backoff.delayMs(attempt, result.retryAfterMs);
    call.log.info(
      { model: modelRefText(model), code: result.code, attempt, delayMs: Math.round(delay) },
      "model call is tried again",
    );
    await call.slot.released(() => pause(delay, call.signal));
    if (call.signal.aborted) return new ModelError("aborted", "aborted while waiting to try again");
  }
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
        return { parts: event.parts, usage: event.usage };
    }
  }
  return new ModelError("bad_response", "the model's stream ended without an end");
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

function refOf(model: string): ModelRef {
  const cut = model.indexOf("/");
  return { provider: model.slice(0, cut), model: model.slice(cut + 1) };
}
