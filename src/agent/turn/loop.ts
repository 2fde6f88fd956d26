import type { Json } from "../../core/json.ts";
import { type MessagePart, type NewMessage, type TokenUsage, textOf } from "../../core/message/transcript.ts";

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly args: Json;
}

export interface ModelReply {
  readonly message: NewMessage & { readonly usage: TokenUsage | null };
}

export interface ToolEnd {
  readonly message: NewMessage;
  /** The tool's own step stored the result already. */
  readonly stored: boolean;
  readonly ends: { readonly wait: "all" | "each"; readonly note: string | null } | null;
  /** No such tool is offered. */
  readonly isUnknown?: boolean;
}

/** Everything the loop needs of the world. Each call resolves when its effect is stored. */
export interface LoopPorts {
  model(): Promise<ModelReply>;
  store(message: NewMessage): Promise<void>;
  tool(call: ToolCall): Promise<ToolEnd>;
  /**
   * A boundary: shows what may be steered in, after storing `skipped` results for the calls that will not run. True when
   * something came. Throws to end the loop (shutdown, stop).
   */
  boundary(remaining: readonly ToolCall[]): Promise<boolean>;
}

export type LoopEnd =
  | { readonly kind: "final"; readonly message: NewMessage }
  | { readonly kind: "yielded"; readonly text: string; readonly wait: "all" | "each"; readonly note: string | null }
  | { readonly kind: "max_steps" }
  | { readonly kind: "same_call"; readonly tool: string };

/** TN-7: the same call with the same arguments and the same result this often in a row ends the turn. */
const SAME_CALLS = 5;

/**
 * The model–tool loop (TN-2, TN-3, TN-7): one model call, its tool calls in order (`sessions_yield` last), the next call,
 * until a text without calls. `pending` are the calls of a resumed turn that have no result yet.
 */
export async function runLoop(
  start: { readonly pending: readonly ToolCall[]; readonly pendingText: string; readonly steps: number },
  limits: { readonly maxSteps: number },
  ports: LoopPorts,
): Promise<LoopEnd> {
  const guard = createGuard();
  let { pending, pendingText } = start;
  for (let steps = start.steps; ; steps += 1) {
    const end = await runCalls(pending, ports, guard);
    if (end !== null) return end.kind === "yielded" ? { ...end, text: pendingText } : end;
    if (steps >= limits.maxSteps) return { kind: "max_steps" };
    await ports.boundary([]);
    const { message } = await ports.model();
    guard.nextStep();
    pending = callsOf(message.parts);
    pendingText = textOf(message.parts);
    if (pending.length === 0) return { kind: "final", message };
    await ports.store(message);
  }
}

type CallsEnd =
  | { readonly kind: "yielded"; readonly wait: "all" | "each"; readonly note: string | null }
  | { readonly kind: "same_call"; readonly tool: string };

async function runCalls(calls: readonly ToolCall[], ports: LoopPorts, guard: Guard): Promise<CallsEnd | null> {
  const ordered = inOrder(calls);
  let ends: ToolEnd["ends"] = null;
  for (const [at, call] of ordered.entries()) {
    if (await ports.boundary(ordered.slice(at))) return null;
    const end = await ports.tool(call);
    if (!end.stored) await ports.store(end.message);
    if (guard.sees(call, end)) return { kind: "same_call", tool: call.name };
    ends = end.ends ?? ends;
  }
  return ends === null ? null : { kind: "yielded", ...ends };
}

/** In the order they run: `sessions_yield` last. */
export function inOrder(calls: readonly ToolCall[]): readonly ToolCall[] {
  const isYield = (call: ToolCall): boolean => call.name === "sessions_yield";
  return [...calls.filter((call) => !isYield(call)), ...calls.filter(isYield)];
}

interface Guard {
  /** True when the turn goes round in circles. */
  sees(call: ToolCall, end: ToolEnd): boolean;
}

/** Sees repeated calls (FC-314): the same one, several in turns or beside each other, and steps of nothing but unknown tools. */
function createGuard(): Guard & { nextStep(): void } {
  const marks: string[] = [];
  let unknownSteps = 0;
  let onlyUnknown = false;
  return {
    nextStep() {
      unknownSteps = onlyUnknown ? unknownSteps + 1 : 0;
      onlyUnknown = true;
    },
    sees(call, { message, isUnknown = false }) {
      const results = message.parts.map((part) => (part.type === "tool_result" ? part.result : null));
      marks.push(JSON.stringify([call.name, call.args, results]));
      onlyUnknown &&= isUnknown;
      return repeats(marks) || (onlyUnknown && unknownSteps >= SAME_CALLS - 1);
    },
  };
}

/** The last calls are one, two or three calls with equal results, over and over. */
function repeats(marks: readonly string[]): boolean {
  return [1, 2, 3].some((period) => {
    const length = period * SAME_CALLS;
    if (marks.length < length) return false;
    const recent = marks.slice(-length);
    return recent.every((mark, at) => mark === recent[at % period]);
  });
}

export function callsOf(parts: readonly MessagePart[]): readonly ToolCall[] {
  return parts.flatMap((part) =>
    part.type === "tool_call" ? [{ callId: part.callId, name: part.name, args: part.args }] : [],
  );
}
