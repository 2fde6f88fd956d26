import { ToolError } from "../core/errors.ts";
import { nearestNames } from "../core/nearest.ts";
import { cutMiddle } from "../core/text/cut.ts";
import { type ToolResult, toolError } from "../core/tool-result.ts";
import { isFenced } from "../store/parts/fence.ts";
import { type ToolContext, type ToolDefinition, type ToolOutcome, toolResultMessage } from "../tools/tool.ts";
import type { ToolCall, ToolEnd } from "./loop.ts";

/** TN-17: one tool result, in bytes of its JSON; head and tail are kept. */
const MAX_RESULT_BYTES = 32 * 1024;

/**
 * Carries out one call of a model. A name that is not offered, arguments that fail the schema and a tool's own refusal are
 * results the model can act on (TN-7, TP-3, ST-43); only losing the turn or being stopped throws.
 */
export async function executeCall(
  call: ToolCall,
  offered: readonly ToolDefinition[],
  context: ToolContext,
): Promise<ToolEnd> {
  const outcome = await outcomeOf(call, offered, context);
  const own = offered.find((candidate) => candidate.name === call.name)?.maxResultBytes;
  return {
    message: toolResultMessage(call, bounded(outcome.result, own ?? MAX_RESULT_BYTES)),
    stored: outcome.stored === true,
    ends: outcome.ends ?? null,
  };
}

async function outcomeOf(
  call: ToolCall,
  offered: readonly ToolDefinition[],
  context: ToolContext,
): Promise<ToolOutcome> {
  const tool = offered.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return { result: unknownTool(call.name, offered) };
  if (typeof call.args === "string") return { result: toolError(`the arguments of ${call.name} are not valid JSON`) };
  const parsed = tool.input.safeParse(call.args ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join(".") || "(arguments)";
    return { result: toolError(`invalid argument ${field}: ${issue?.message ?? "it does not fit the schema"}`) };
  }
  try {
    return await tool.execute(parsed.data, context);
  } catch (error) {
    if (isFenced(error) || context.signal.aborted) throw error;
    if (error instanceof ToolError) return { result: toolError(error.message, error.hint ?? undefined, error.status) };
    context.log.error({ err: error, tool: call.name, callId: call.callId }, "a tool failed");
    return { result: toolError(`${call.name} failed for an internal reason`, "try again later or go on without it") };
  }
}

function unknownTool(name: string, offered: readonly ToolDefinition[]): ToolResult {
  const names = offered.map((tool) => tool.name);
  const close = nearestNames(name, names);
  const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `you have: ${names.join(", ") || "no tools"}`;
  return toolError(`there is no tool "${name}" for you here`, hint);
}

function bounded(result: ToolResult, maxBytes: number): ToolResult {
  const text = JSON.stringify(result);
  const cut = cutMiddle(text, maxBytes);
  return cut.truncated ? { status: result.status, truncated: true, result: cut.text } : result;
}
