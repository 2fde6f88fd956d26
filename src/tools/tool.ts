import { z } from "zod";
import { type ToolResult, toolError } from "../core/errors.ts";
import type { CallId } from "../core/ids.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { NewMessage } from "../core/message/transcript.ts";
import { nearestNames } from "../core/nearest.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Session } from "../core/session/session.ts";
import type { Turn, TurnFence } from "../core/session/turn.ts";
import type { Settings, ToolProfile } from "../core/settings.ts";
import { callTexts } from "../core/texts/agent/tool-calls.ts";
import type { Compose, Threads } from "../delivery/way-out.ts";
import type { LiveTurns } from "../sessions/live-turns.ts";
import type { ReplySignal } from "../sessions/reply-signal.ts";
import type { Store } from "../store/store.ts";
import type { Slot } from "../work/work-queue.ts";

export type ToolGroup = "sessions" | "messaging" | "fs" | "runtime" | "mcp";

/** Who calls, from which turn. Everything a call does is keyed by `callId`, so that a replay after a crash does it once. */
export interface CallFacts {
  readonly store: Store;
  /** The configuration the turn began with (OP-2). */
  readonly settings: Settings;
  readonly session: Session;
  readonly turn: Turn;
  /** Unique over all turns; the idempotency key of what the call does. */
  readonly callId: CallId;
  /** The model's own id of the call, which its result must carry. */
  readonly modelCallId: CallId;
  /** What was changed about the arguments before they fit, for a tool that stores its own result (FC-233). */
  readonly adjusted: readonly string[];
}

/** What single tools work with beyond the store; given in at composition. */
export interface ToolServices {
  readonly liveTurns: LiveTurns;
  readonly threads: Threads;
  readonly compose: Compose;
  readonly replies: ReplySignal;
  /** Switchyard's version, for the status card. */
  readonly version: string;
  /** The calling session's tools by the policy's own decision, for a tool that lists them (TP-3). */
  ownTools(session: Session): OwnTools;
}

export interface OwnTools {
  readonly tools: readonly string[];
  /** What the agent does not have here, and the layer that removed it. */
  readonly removedTools: readonly { readonly tool: string; readonly layer: string }[];
}

export interface ToolContext extends Runtime, CallFacts {
  readonly services: ToolServices;
  /** Given back while the tool only waits (TN-1). */
  readonly slot: Slot;
  readonly signal: AbortSignal;
  /** A time as the agent reads it: in its zone, which its prompt names (FC-234). */
  readonly timeText: (at: number) => string;
}

/**
 * `stored`: the tool's own step wrote the result into the transcript together with its effect (SP-2); otherwise the loop
 * stores it. `ends`: the turn ends after this call (`sessions_yield`).
 */
export interface ToolOutcome {
  readonly result: ToolResult;
  readonly stored?: true;
  readonly ends?: { readonly wait: "all" | "each"; readonly note: string | null };
}

/** Parameters that models write and the tool does not list (FC-233). */
export interface OtherNames {
  /** Another name of a parameter that means the same. */
  readonly synonyms?: { readonly [other: string]: string };
  /** The one value that changes nothing; every other is refused. */
  readonly implied?: { readonly [name: string]: string };
  /** Why there is no such parameter, where the nearest name would mislead. */
  readonly refused?: { readonly [name: string]: string };
}

/** Declared once; JSON schema, docs page, `/tools`, policy and validation derive from it (TP-5). */
export interface ToolDefinition<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** One paragraph, for the model and the docs page. */
  readonly description: string;
  readonly group: ToolGroup;
  /** The profiles it is part of; `full` has every tool (TP-1). */
  readonly profiles: readonly Exclude<ToolProfile, "full">[];
  /** The sub-agents that have it: every one, those that may spawn more, or none (TP-4). */
  readonly subagents: "all" | "spawners" | "none";
  /** Offered only when an owner is behind the turn (ST-40). */
  readonly ownerOnly?: true;
  readonly input: I;
  readonly output: O;
  readonly otherNames?: OtherNames;
  /** Set when the tool bounds its result itself, in bytes of its JSON (ST-4, ST-8); else TN-17's limit cuts it. */
  readonly maxResultBytes?: number;
  /** The arguments as JSON Schema, as models take it. */
  parameters(): JsonObject;
  /** Parsed arguments arrive; a refusal or failure is thrown as a ToolError. */
  execute(args: z.output<I>, context: ToolContext): Promise<ToolOutcome>;
}

/** What a tool's author writes; what derives from it is added by `defineTool`. */
export type ToolSource<I extends z.ZodType, O extends z.ZodType> = Omit<ToolDefinition<I, O>, "parameters">;

/**
 * Ties the argument type of `execute` to the input schema, then forgets it: a registry holds tools of all shapes. The JSON
 * Schema is made at the first call and kept: it goes out with every model call.
 */
export function defineTool<I extends z.ZodType, O extends z.ZodType>(source: ToolSource<I, O>): ToolDefinition {
  let made: JsonObject | null = null;
  const parameters = (): JsonObject => {
    made ??= jsonSchemaOf(source.input);
    return made;
  };
  return { ...source, parameters } as unknown as ToolDefinition;
}

function jsonSchemaOf(input: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    // Zod's own bound of every integer tells a model nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema as JsonObject;
}

export function toolResultMessage(
  call: { readonly callId: CallId; readonly name: string },
  result: ToolResult,
  adjusted: readonly string[] = [],
): NewMessage {
  const isError = result.status === "error" || result.status === "forbidden";
  return {
    role: "tool",
    parts: [
      { type: "tool_result", callId: call.callId, name: call.name, result: withAdjusted(result, adjusted), isError },
    ],
    provenance: { kind: "tool", tool: call.name },
    usage: null,
  };
}

function withAdjusted(result: ToolResult, adjusted: readonly string[]): ToolResult {
  return adjusted.length === 0 ? result : { ...result, adjusted };
}

export function fenceOf(context: Pick<ToolContext, "turn">): TurnFence {
  return { turnId: context.turn.id, fence: context.turn.fence };
}

const MAX_ROUNDS = 3;

type Arguments = { readonly [name: string]: Json };
type Read = { readonly parsed: unknown; readonly adjusted: readonly string[] };

/** Makes a model's arguments fit a tool, or says in its words why they do not: the one way for every tool (TN-7, FC-233). */
export function readArguments(tool: ToolDefinition, args: Json): Read | { readonly refused: ToolResult } {
  if (typeof args === "string") return { refused: toolError(callTexts.notJson(tool.name)) };
  const named = isPlain(args) && tool.input instanceof z.ZodObject ? withOwnNames(tool, args) : { args };
  if ("refused" in named) return named;
  const { result, adjusted } = parseWeakly(tool.input, named.args);
  if (result.success) return { parsed: result.data, adjusted };
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") || callTexts.allArguments;
  return { refused: toolError(callTexts.invalidArgument(field, issue?.message ?? callTexts.doesNotFit)) };
}

/** Every argument under the name the tool knows it by. What the tool does not know is refused, never dropped in silence. */
function withOwnNames(
  tool: ToolDefinition,
  args: Arguments,
): { readonly args: Arguments } | { readonly refused: ToolResult } {
  const known = Object.keys((tool.input as z.ZodObject).shape);
  const { synonyms = {}, implied = {}, refused = {} } = tool.otherNames ?? {};
  const own: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const meant = known.includes(name)
      ? name
      : (synonyms[name] ?? known.find((candidate) => folded(candidate) === folded(name)));
    const nothing = value === null || value === "" || implied[name] === value;
    if (meant !== undefined && (meant === name || !(meant in args || meant in own))) own[meant] = value;
    else if (!nothing) unknown.push(name);
  }
  if (unknown.length === 0) return { args: own };
  const reasons = [...new Set(unknown.flatMap((name) => refused[name] ?? []))];
  const near = [...new Set(unknown.flatMap((name) => synonyms[name] ?? nearestNames(name, known, 1)))];
  const hint = near.length > 0 ? callTexts.didYouMean(near) : callTexts.itsParameters(known);
  return {
    refused: toolError(callTexts.unknownParameters(tool.name, unknown), reasons.length > 0 ? reasons.join(" ") : hint),
  };
}

function folded(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/**
 * FC-314: arguments as weaker models write them, taken where nothing is lost: `null` or `""` for something optional, `"5"` for a
 * number, `"true"` for a flag, a list or an object as JSON text, one value for a list of one. A number above its limit becomes the
 * limit, and `adjusted` says so. The result of the schema either way.
 */
function parseWeakly(input: z.ZodType, args: Json) {
  const strict = input.safeParse(args);
  const adjusted: string[] = [];
  let result = strict;
  let value = args;
  for (let round = 0; round < MAX_ROUNDS && !result.success; round += 1) {
    const next = result.error.issues.reduce<Json>((weaker, issue) => weakened(weaker, issue, adjusted), value);
    if (next === value) break;
    value = next;
    result = input.safeParse(value);
  }
  // What did not help must not change what the model reads of its own words.
  return result.success ? { result, adjusted } : { result: strict, adjusted: [] };
}

function weakened(args: Json, issue: z.core.$ZodIssue, adjusted: string[]): Json {
  const [key, ...deeper] = issue.path;
  if (typeof key !== "string" || !isPlain(args) || !(key in args)) return args;
  const { [key]: value, ...rest } = args;
  if (value === undefined) return args;
  if (deeper.length > 0) {
    const inner = weakened(value, { ...issue, path: deeper } as z.core.$ZodIssue, adjusted);
    return inner === value ? args : { ...rest, [key]: inner };
  }
  if (value === null || value === "") return rest;
  const limit = limitOf(issue);
  if (limit !== null && typeof value === "number") adjusted.push(callTexts.lowered(key, value, limit));
  const other = limit !== null && typeof value === "number" ? limit : fitted(value, issue);
  return other === value ? args : { ...rest, [key]: other };
}

/** Null: the issue is no limit above which a smaller number means the same, only less of it. */
function limitOf(issue: z.core.$ZodIssue): number | null {
  if (issue.code !== "too_big" || issue.inclusive === false) return null;
  const maximum = Number(issue.maximum);
  return maximum < Number.MAX_SAFE_INTEGER ? maximum : null;
}

function fitted(value: Json, issue: z.core.$ZodIssue): Json {
  if (issue.code === "invalid_type") return converted(value, issue.expected);
  if (issue.code !== "invalid_union") return value;
  for (const [first] of issue.errors) {
    const other = first === undefined || first.path.length > 0 ? value : fitted(value, first);
    if (other !== value) return other;
  }
  return value;
}

function converted(value: Json, expected: string): Json {
  switch (expected) {
    case "number":
    case "int":
      return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    case "array":
      return typeof value === "string" && value.trim().startsWith("[") ? fromText(value) : [value];
    case "object":
    case "record":
      return typeof value === "string" ? fromText(value) : value;
    default:
      return value;
  }
}

function fromText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function isPlain(value: Json): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
