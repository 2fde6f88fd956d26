import { StoreError, ToolError, type ToolResult, toolError } from "../../core/errors.ts";
import { type NewMessage, textOf } from "../../core/message/transcript.ts";
import type { MergePolicy } from "../../core/message/turn-inputs.ts";
import type { ModelRef } from "../../core/model.ts";
import { modelRefText } from "../../core/models.ts";
import { nearestNames } from "../../core/nearest.ts";
import type { Logger } from "../../core/runtime.ts";
import type { Session } from "../../core/session/session.ts";
import type { TurnFence } from "../../core/session/turn.ts";
import { cutMiddle } from "../../core/text/cut.ts";
import { callTexts } from "../../core/texts/agent/tool-calls.ts";
import { answerCut } from "../../core/texts/agent/wire.ts";
import { askedWithoutSlot } from "../../delivery/way-out.ts";
import { sessionModel } from "../../sessions/context-window.ts";
import { isFenced } from "../../store/parts/sessions.ts";
import { turnMessages } from "../../store/reads/turns/transcript.ts";
import { appendMessage } from "../../store/steps/turns/append-message.ts";
import { steerIn } from "../../store/steps/turns/steer-in.ts";
import { TOOL_NAMES } from "../../tools/names.ts";
import { isMcpToolName } from "../../tools/policy.ts";
import type { OwnTools } from "../../tools/tool.ts";
import {
  readArguments,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
  toolResultMessage,
} from "../../tools/tool.ts";
import type { Slot } from "../../work/work-queue.ts";
import { callModel, type ModelAnswer, withinChain, withinDailyLimit } from "../model-call.ts";
import { buildRequest, createTurnContext, type TurnContext } from "./context.ts";
import { messageMaker } from "./inputs.ts";
import {
  callsOf,
  inOrder,
  type LoopEnd,
  type LoopPorts,
  type ModelReply,
  runLoop,
  type ToolCall,
  type ToolEnd,
} from "./loop.ts";
import type { TurnDeps, TurnFrame, TurnOutput } from "./ports.ts";

/** The process stops: the turn stays open, and the next start continues it (OP-9). */
export class ShutdownSignal extends Error {}

export interface TurnWork {
  readonly frame: TurnFrame;
  readonly policy: MergePolicy;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
  readonly slot: Slot;
  readonly log: Logger;
}

/** Runs the loop of an open turn with real effects: every message is stored behind the turn's fence before it counts (TN-2). */
export async function workOnTurn(work: TurnWork, deps: TurnDeps): Promise<LoopEnd> {
  const { frame } = work;
  const { made, ...start } = await resumePoint(frame, deps);
  for (const call of made) work.output.tool(call);
  const ports = portsOf(work, deps);
  const cut = interruptedCall(start.pending);
  const tool = async (call: ToolCall): Promise<ToolEnd> => (call === cut ? interruptedEnd(call) : ports.tool(call));
  return runLoop(start, { maxSteps: frame.agent.maxSteps }, { ...ports, tool });
}

/**
 * TN-2: of the calls a resumed turn finds without a result only the first can have begun, since each result is stored before the
 * next call. Switchyard's own tools do a call once however often they are asked; a server may do it again.
 */
function interruptedCall(pending: readonly ToolCall[]): ToolCall | null {
  const [first] = inOrder(pending);
  return first !== undefined && isMcpToolName(first.name) ? first : null;
}

function interruptedEnd(call: ToolCall): ToolEnd {
  const result = {
    status: "interrupted",
    error: callTexts.interrupted(call.name),
    hint: callTexts.interruptedHint,
  };
  return { message: toolResultMessage(call, result), stored: false, ends: null };
}

/** Where the turn stands: the calls of its last assistant message that have no result yet, and the steps made. */
async function resumePoint({ turn }: TurnFrame, { store }: TurnDeps) {
  // The runner has just written the inputs of a turn that begins; there is nothing else to find.
  if (turn.fence === 1) return { pending: [], pendingText: "", steps: 0, made: [] };
  const messages = await store.read(turnMessages, { sessionId: turn.sessionId, turnId: turn.id });
  const last = messages.findLast((message) => message.role === "assistant");
  const answered = new Set(
    messages.flatMap((message) => message.parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : []))),
  );
  return {
    pending: callsOf(last?.parts ?? []).filter((call) => !answered.has(call.callId)),
    pendingText: textOf(last?.parts ?? []),
    steps: messages.filter((message) => message.role === "assistant").length,
    made: messages.flatMap((message) => callsOf(message.parts)).filter((call) => answered.has(call.callId)),
  };
}

function portsOf(work: TurnWork, deps: TurnDeps): LoopPorts {
  const { frame, signal } = work;
  const { turn } = frame;
  const fence: TurnFence = { turnId: turn.id, fence: turn.fence };
  const context = createTurnContext(work, deps);
  return {
    model: () => modelStep(work, context, deps),
    store: (message) => deps.store.step(appendMessage, { ...fence, message }),
    tool: (call) => toolStep(call, work, deps),
    boundary: async (remaining) => {
      signal.throwIfAborted();
      if (deps.draining()) throw new ShutdownSignal();
      if (!deps.liveTurns.takeNudge(turn.sessionKey)) return false;
      const skipped = remaining.map((call) =>
        toolResultMessage(call, { status: "skipped", reason: callTexts.skipped }),
      );
      try {
        const steered = await deps.store.step(steerIn, {
          ...fence,
          sessionKey: turn.sessionKey,
          policy: work.policy,
          toMessage: messageMaker(frame.settings, turn.sessionKey, deps),
          skipped,
        });
        return steered.length > 0;
      } catch (error) {
        if (error instanceof StoreError) throw error;
        // What cannot be read waits for a turn of its own, which sets it aside (TN-20); this one has nothing to do with it.
        work.log.warn({ err: error }, "a waiting message could not be shown to the running turn");
        return false;
      }
    },
  };
}

async function modelStep(work: TurnWork, context: TurnContext, deps: TurnDeps): Promise<ModelReply> {
  const { frame, signal, slot, log, output } = work;
  const runner = deps.runner();
  const startedAt = deps.clock.now();
  await withinDailyLimit(frame, deps);
  await withinChain(frame, deps);
  const answer = await callModel({
    runner,
    models: frame.models,
    request: (model: ModelRef, shrink: number) => buildRequest(frame, { model, shrink, context }, { ...deps, runner }),
    signal,
    slot,
    log,
    onText: (text) => output.text(text),
    backoff: deps.backoff,
    mayBeEmpty: frame.turn.source.route === null,
  });
  const model = modelRefText(answer.model);
  deps.events({ type: "step", turn: frame.turn, model, usage: answer.usage, ms: deps.clock.now() - startedAt });
  const message: NewMessage = {
    role: "assistant",
    parts: wholeOrMarked(answer),
    provenance: { kind: "assistant", agentId: frame.agent.id, model },
    usage: answer.usage,
  };
  return { message };
}

/** By the session as it is now: its model, and with it the policy, may have changed in this turn. */
function ownTools(session: Session, { settings, agent, turn }: TurnFrame, { effectiveTools }: TurnDeps): OwnTools {
  const model = sessionModel(settings, agent, session);
  const { tools, removed } = effectiveTools({ settings, agent, session, rights: turn.source.rights, model });
  return { tools: tools.map((tool) => tool.name), removedTools: removed };
}

/** FC-311: an answer that ended too early says so. */
function wholeOrMarked({ parts, finish }: ModelAnswer): NewMessage["parts"] {
  const isCut = finish === "length" && textOf(parts).trim() !== "" && callsOf(parts).length === 0;
  return isCut ? [...parts, { type: "text", text: answerCut }] : parts;
}

async function toolStep(call: ToolCall, work: TurnWork, deps: TurnDeps) {
  const { frame, signal, slot, log } = work;
  const { turn, session, settings } = frame;
  const startedAt = deps.clock.now();
  deps.events({ type: "tool_begun", turn, tool: call.name });
  work.output.tool(call);
  const context: ToolContext = {
    store: deps.store,
    settings,
    session,
    turn,
    // Some vendors' models restart the numbers of their calls in every turn; the turn makes the key unique.
    callId: `${turn.id}/${call.callId}`,
    modelCallId: call.callId,
    adjusted: [],
    services: {
      liveTurns: deps.liveTurns,
      threads: askedWithoutSlot(deps.threads, slot),
      compose: deps.compose,
      replies: deps.replies,
      version: deps.version,
      ownTools: (now) => ownTools(now, frame, deps),
    },
    slot,
    signal,
    timeText: (at) => deps.localTime.minute(at, frame.agent.userTimezone),
    clock: deps.clock,
    ids: deps.ids,
    log,
  };
  const end = await executeCall(call, frame.tools.tools, context);
  const [part] = end.message.parts;
  const status = part?.type === "tool_result" && part.isError ? "error" : "ok";
  deps.events({ type: "tool_ended", turn, tool: call.name, status, ms: deps.clock.now() - startedAt });
  log.info({ tool: call.name, callId: call.callId, status }, "tool call");
  return end;
}

/** TN-17: one tool result, in bytes of its JSON; head and tail are kept. */
const MAX_RESULT_BYTES = 32 * 1024;

/**
 * Runs one tool call of a model. A name that is not offered, arguments that fail the schema and a tool's own refusal are
 * results the model can act on (TN-7, TP-3, ST-43); only losing the turn or being stopped throws.
 */
export async function executeCall(
  call: ToolCall,
  offered: readonly ToolDefinition[],
  context: ToolContext,
): Promise<ToolEnd> {
  const { adjusted, ...outcome } = await runTool(call, offered, context);
  const own = offered.find((candidate) => candidate.name === call.name)?.maxResultBytes;
  return {
    message: toolResultMessage(call, bounded(outcome.result, own ?? MAX_RESULT_BYTES), adjusted),
    stored: outcome.stored === true,
    ends: outcome.ends ?? null,
    isUnknown: !offered.some((candidate) => candidate.name === call.name),
  };
}

async function runTool(
  call: ToolCall,
  offered: readonly ToolDefinition[],
  context: ToolContext,
): Promise<ToolOutcome & { readonly adjusted?: readonly string[] }> {
  const tool = offered.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return { result: unknownTool(call.name, offered) };
  const read = readArguments(tool, call.args ?? {});
  if ("refused" in read) return { result: read.refused };
  const { parsed, adjusted } = read;
  try {
    return { ...(await tool.execute(parsed, { ...context, adjusted })), adjusted };
  } catch (error) {
    if (isFenced(error) || context.signal.aborted) throw error;
    if (error instanceof ToolError) return { result: toolError(error.message, error.hint ?? undefined, error.status) };
    context.log.error({ err: error, tool: call.name, callId: call.callId }, "a tool failed");
    return { result: toolError(callTexts.internal(call.name), callTexts.internalHint) };
  }
}

function unknownTool(name: string, offered: readonly ToolDefinition[]): ToolResult {
  const names = offered.map((tool) => tool.name);
  // Policy removed it: no other name would do what was wanted (FC-234).
  if (TOOL_NAMES.includes(name)) return toolError(callTexts.turnedOff(name), callTexts.yourTools(names));
  const close = nearestNames(name, names);
  return toolError(
    callTexts.noSuchTool(name),
    close.length > 0 ? callTexts.didYouMean(close) : callTexts.yourTools(names),
  );
}

function bounded(result: ToolResult, maxBytes: number): ToolResult {
  const text = JSON.stringify(result);
  const cut = cutMiddle(text, maxBytes);
  return cut.truncated ? { status: result.status, truncated: true, result: cut.text } : result;
}
