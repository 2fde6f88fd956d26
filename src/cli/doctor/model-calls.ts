import { createAgentRunner } from "../../agent/providers/create-agent-runner.ts";
import { modelFailure } from "../../agent/turn/failure.ts";
import type { DoctorFinding } from "../../channel/descriptor.ts";
import type { ModelRef, ModelRequest, StepEvent } from "../../core/model.ts";
import { modelFacts, modelRefText } from "../../core/models.ts";
import type { LearntQuirks } from "../../core/quirks.ts";
import type { Clock } from "../../core/runtime.ts";
import { costOfTokens } from "../../core/session/spending.ts";
import type { Settings } from "../../core/settings.ts";
import { learntFinding, learntFix, leftOutForModel } from "../../core/texts/agent/wire.ts";
import { TURN_FAILURES } from "../../core/texts/chat/failures.ts";
import {
  CALL_PROMPT,
  callFails,
  callFine,
  callSilent,
  callWithoutTool,
  fine,
  modelSubject,
  serverLog,
} from "../../core/texts/cli/doctor.ts";
import { TOOLS } from "../../tools/registry.ts";

/** The tool that the model is asked to call. */
const WANTED = "session_status";

/** Calls the models of one provider, one after the other: a local server holds one at a time. */
export type CheckCalls = (provider: string, models: readonly string[]) => Promise<readonly DoctorFinding[]>;

export function checkCalls(parts: {
  readonly settings: Settings;
  readonly clock: Clock;
  /** For all calls to one provider together. */
  readonly withinMs: number;
}): CheckCalls {
  return async (provider, models) => {
    const signal = AbortSignal.timeout(parts.withinMs);
    const found: DoctorFinding[] = [];
    for (const model of models) found.push(...(await checkCall({ provider, model }, { ...parts, signal })));
    return found;
  };
}

/**
 * FC-307: one real call with all built-in tools, as an agent makes it. Reports what the server refused of it, whether the model called the
 * tool it was asked to call, how long that took, and what it cost. Nothing is stored.
 */
async function checkCall(
  model: ModelRef,
  { settings, clock, signal }: { readonly settings: Settings; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly DoctorFinding[]> {
  const name = modelRefText(model);
  const subject = modelSubject(name);
  const learnt: LearntQuirks[] = [];
  const runner = createAgentRunner({
    models: settings.models,
    clock,
    // What was learnt before is not used: what the server refuses now is what is asked.
    learnt: { of: async () => null, learn: async (_model, one) => void learnt.push(one) },
  });
  const beganAt = performance.now();
  const end = await lastEvent(runner.step(requestTo(model), signal));
  const seconds = (performance.now() - beganAt) / 1_000;
  const refused = learnt.map(
    (one): DoctorFinding => ({
      level: "warning",
      subject,
      message: learntFinding(name, leftOutForModel(one), one.because),
      fix: learntFix,
    }),
  );
  if (end?.type !== "done") {
    if (signal.aborted) return [...refused, { level: "error", subject, ...callSilent(seconds, model.provider) }];
    // What is advised there is this very check.
    const isAway = end?.type !== "failed" || end.error.code === "unavailable";
    const fix = isAway ? serverLog(model.provider) : TURN_FAILURES[modelFailure(end.error)].owner;
    const reason = end?.type === "failed" ? end.error.message : "";
    return [...refused, { level: "error", subject, message: callFails(reason), fix }];
  }
  const { price } = modelFacts(settings.models, model);
  const cost = price === null ? null : costOfTokens(end.usage, price);
  const facts = { seconds, input: end.usage.input, output: end.usage.output, cost };
  const called = end.parts.some((part) => part.type === "tool_call" && part.name === WANTED);
  const found: DoctorFinding = called
    ? { level: "ok", subject, ...fine(callFine(facts)) }
    : { level: "warning", subject, ...callWithoutTool(facts) };
  return [...refused, found];
}

function requestTo(model: ModelRef): ModelRequest {
  return {
    model,
    system: CALL_PROMPT.system,
    messages: [{ role: "user", parts: [{ type: "text", text: CALL_PROMPT.user(WANTED) }] }],
    tools: TOOLS.map((tool) => ({ name: tool.name, description: tool.description, parameters: tool.parameters() })),
    thinking: null,
  };
}

async function lastEvent(
  events: AsyncIterable<StepEvent>,
): Promise<Extract<StepEvent, { type: "done" | "failed" }> | null> {
  for await (const event of events) if (event.type === "done" || event.type === "failed") return event;
  return null;
}
