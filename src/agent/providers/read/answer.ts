import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { MessagePart, TokenUsage } from "../../../core/message/transcript.ts";
import type { FinishReason, ModelMessage, StepEvent } from "../../../core/model.ts";
import { maybeTextCall, textCall } from "./text-calls.ts";

/** What a reader makes of a stream, in the order in which the parts began. A `block` names which part a delta continues. */
export interface AnswerParts {
  text(delta: unknown, block?: string): void;
  reasoning(delta: unknown, block?: string): void;
  /** What the model wants back with this reasoning; later fields add to earlier ones. */
  reasoningData(data: Readonly<Record<string, Json | undefined>>, block?: string): void;
  call(block: string, part: CallPart): void;
  /** Whether a call with this name of a part has begun, and by which id. */
  callId(block: string): string | null;
  finish(reason: FinishReason): void;
  usage(usage: Partial<Record<keyof TokenUsage, unknown>>): void;
  /** A sign that the answer is whole, from a server that says no reason. */
  whole(): void;
  /** Something of the stream could not be read. */
  damaged(): void;
}

export interface CallPart {
  readonly id?: unknown;
  readonly name?: unknown;
  /** A piece of the JSON, or all of it as an object. */
  readonly args?: unknown;
  readonly data?: JsonObject;
}

export interface Answer extends AnswerParts {
  /** What has come since the last look, for the preview. */
  take(): readonly StepEvent[];
  /** The finished answer, or null when the model did not say that it is finished: the stream broke off. */
  done(): (StepEvent & { type: "done" }) | null;
}

interface AnswerContext {
  /** Tool call ids that must not come again, because an id is the idempotency key of what its call does. */
  readonly usedIds: Set<string>;
  readonly maker: string;
  /** Names of the offered tools when a text may be a call (FC-312); null: it is a text. */
  readonly textCalls: readonly string[] | null;
  /** Tokens of the request and of this answer's text, for servers that count nothing (FC-315). */
  readonly estimate: (text: string) => TokenUsage;
}

type Block =
  | { readonly kind: "text"; readonly id: string; text: string }
  | { readonly kind: "reasoning"; readonly id: string; text: string; data: Record<string, Json> }
  | {
      readonly kind: "call";
      readonly id: string;
      callId: string;
      name: string;
      text: string;
      args: Json | null;
      data: JsonObject;
    };

export function createAnswer(context: AnswerContext): Answer {
  const blocks: Block[] = [];
  const counted: { input?: number; output?: number; cached?: number; cacheWrite?: number } = {};
  let events: StepEvent[] = [];
  let held = context.textCalls !== null;
  let reason: FinishReason | null = null;
  let isWhole = false;
  let isDamaged = false;

  const blockOf = (kind: "text" | "reasoning", id: string | undefined): Block & { kind: "text" | "reasoning" } => {
    const last = blocks.at(-1);
    const known =
      id === undefined
        ? last?.kind === kind
          ? last
          : undefined
        : blocks.find((one) => one.kind === kind && one.id === id);
    if (known !== undefined) return known as Block & { kind: "text" | "reasoning" };
    const made: Block & { kind: "text" | "reasoning" } =
      kind === "text" ? { kind, id: id ?? "", text: "" } : { kind, id: id ?? "", text: "", data: {} };
    blocks.push(made);
    return made;
  };
  const allText = (): string => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");

  return {
    text(delta, id) {
      if (typeof delta !== "string" || delta === "") return;
      blockOf("text", id).text += delta;
      if (!held) return void events.push({ type: "text", delta });
      // Nothing of a call in writing is shown; what turns out to be a text is shown as soon as that is clear.
      const text = allText();
      if (maybeTextCall(text)) return;
      held = false;
      events.push({ type: "text", delta: text });
    },
    reasoning(delta, id) {
      if (typeof delta !== "string" || delta === "") return;
      blockOf("reasoning", id).text += delta;
      events.push({ type: "reasoning", delta });
    },
    reasoningData(data, id) {
      const block = blockOf("reasoning", id);
      if (block.kind !== "reasoning") return;
      for (const [key, value] of Object.entries(data))
        if (value !== undefined && value !== null) block.data[key] = value;
    },
    call(id, part) {
      let block = blocks.find((one) => one.kind === "call" && one.id === id) as (Block & { kind: "call" }) | undefined;
      if (block === undefined) {
        block = { kind: "call", id, callId: "", name: "", text: "", args: null, data: {} };
        blocks.push(block);
      }
      if (typeof part.id === "string" && part.id !== "") block.callId = part.id;
      if (typeof part.name === "string" && part.name !== "" && block.name === "") block.name = part.name;
      if (typeof part.args === "string") block.text += part.args;
      else if (isJsonObject(part.args)) block.args = part.args;
      if (part.data !== undefined) block.data = { ...block.data, ...part.data };
    },
    callId(id) {
      const block = blocks.find((one) => one.kind === "call" && one.id === id);
      return block?.kind === "call" ? block.callId : null;
    },
    finish(given) {
      reason = given;
    },
    usage(usage) {
      for (const key of ["input", "output", "cached", "cacheWrite"] as const) {
        const value = Number(usage[key] ?? Number.NaN);
        if (Number.isFinite(value) && value >= 0) counted[key] = Math.round(value);
      }
    },
    whole() {
      isWhole = true;
    },
    damaged() {
      isDamaged = true;
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
    done() {
      if (reason === null && !isWhole) return null;
      const parts = partsOf(blocks, context);
      if (parts.length === 0 && blocks.some((block) => block.kind === "call")) return null;
      const hasCalls = parts.some((part) => part.type === "tool_call");
      const usage = usageOf(counted, () => context.estimate(writtenText(blocks)));
      return { type: "done", parts, usage, finish: finishOf(isDamaged ? "length" : reason, hasCalls) };
    },
  };
}

/** The ids of all tool calls in a conversation. */
export function callIdsOf(messages: readonly ModelMessage[]): Set<string> {
  return new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part.callId] : []))),
  );
}

function partsOf(blocks: readonly Block[], { maker, usedIds, textCalls }: AnswerContext): MessagePart[] {
  const parts = blocks.flatMap((block) => toPart(block, maker, usedIds));
  const called = parts.some(({ type }) => type === "tool_call");
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const written = textCalls === null || called ? null : textCall(text, textCalls);
  if (written === null) return parts;
  const calls = written.map(({ name, args }): MessagePart => {
    const callId = freshId("", usedIds);
    return { type: "tool_call", callId, name, args, providerData: { maker } };
  });
  return [...parts.filter(({ type }) => type !== "text"), ...calls];
}

function toPart(block: Block, maker: string, usedIds: Set<string>): MessagePart[] {
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "reasoning": {
      const empty = block.text === "" && Object.keys(block.data).length === 0;
      return empty ? [] : [{ type: "reasoning", text: block.text, providerData: { ...block.data, maker } }];
    }
    case "call":
      // A call of nothing can neither be run nor sent back.
      if (block.name === "") return [];
      return [
        {
          type: "tool_call",
          callId: freshId(block.callId, usedIds),
          name: block.name,
          args: block.text.trim() === "" ? (block.args ?? {}) : parsedArgs(block.text),
          providerData: { ...block.data, maker },
        },
      ];
  }
}

/** Some servers number their calls from 0 in every answer. */
function freshId(id: string, used: Set<string>): string {
  const fresh = id === "" || used.has(id) ? randomUUID() : id;
  used.add(fresh);
  return fresh;
}

/** Text that is not JSON is passed on as it is, the loop answers it (TN-7). JSON written as a JSON text is read twice. */
function parsedArgs(input: string): Json {
  try {
    const value = JSON.parse(input) as Json;
    return typeof value === "string" ? parsedArgs(value) : value;
  } catch {
    return input;
  }
}

function usageOf(counted: Partial<TokenUsage>, estimate: () => TokenUsage): TokenUsage {
  const { input, output, cached, cacheWrite } = counted;
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return { ...estimate(), estimated: true };
  return { input: input ?? 0, output: output ?? 0, cached: cached ?? 0, ...(cacheWrite ? { cacheWrite } : {}) };
}

function writtenText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => (block.kind === "call" && block.args !== null ? JSON.stringify(block.args) : block.text))
    .join("");
}

function finishOf(reason: FinishReason | null, hasCalls: boolean): FinishReason {
  if (reason === "length" || reason === "filtered" || reason === "refused") return reason;
  return hasCalls ? "tool_calls" : (reason ?? "stop");
}
