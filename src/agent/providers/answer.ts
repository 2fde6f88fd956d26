import { randomUUID } from "node:crypto";
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Json, JsonObject } from "../../core/json.ts";
import type { MessagePart, TokenUsage } from "../../core/message/transcript.ts";
import type { FinishReason, ModelMessage, StepEvent } from "../../core/model.ts";

type Block =
  | { kind: "text" | "reasoning"; text: string; data: JsonObject | null }
  | { kind: "call"; part: MessagePart };

/** Gathers the parts of one model stream, in the order in which they began. */
export interface Answer {
  /** Takes one part of the SDK's stream; returns the delta to pass on, if there is one. */
  accept(part: LanguageModelV4StreamPart): StepEvent | null;
  /** The finished answer, or null when the model did not say that it is finished: the stream broke off. */
  done(): (StepEvent & { type: "done" }) | null;
}

/** `usedIds`: tool call ids that must not come again, because an id is the idempotency key of what its call does. */
export function createAnswer(usedIds: Set<string>): Answer {
  const blocks: Block[] = [];
  const open = new Map<string, Block & { kind: "text" | "reasoning" }>();
  let finish: { reason: LanguageModelV4FinishReason; usage: LanguageModelV4Usage } | null = null;

  const blockOf = (kind: "text" | "reasoning", id: string, metadata: SharedV4ProviderMetadata | undefined) => {
    let block = open.get(`${kind}:${id}`);
    if (block === undefined) {
      block = { kind, text: "", data: null };
      open.set(`${kind}:${id}`, block);
      blocks.push(block);
    }
    if (metadata !== undefined) block.data = merged(block.data, metadata);
    return block;
  };

  return {
    accept(part) {
      switch (part.type) {
        case "text-start":
          blockOf("text", part.id, undefined);
          return null;
        case "text-delta":
          blockOf("text", part.id, undefined).text += part.delta;
          return part.delta === "" ? null : { type: "text", delta: part.delta };
        case "text-end":
          open.delete(`text:${part.id}`);
          return null;
        case "reasoning-start":
          blockOf("reasoning", part.id, part.providerMetadata);
          return null;
        case "reasoning-delta":
          blockOf("reasoning", part.id, part.providerMetadata).text += part.delta;
          return part.delta === "" ? null : { type: "reasoning", delta: part.delta };
        case "reasoning-end":
          blockOf("reasoning", part.id, part.providerMetadata);
          open.delete(`reasoning:${part.id}`);
          return null;
        case "tool-call":
          blocks.push({
            kind: "call",
            part: {
              type: "tool_call",
              callId: freshId(part.toolCallId, usedIds),
              name: part.toolName,
              args: parsedArgs(part.input),
              providerData: part.providerMetadata === undefined ? null : merged(null, part.providerMetadata),
            },
          });
          return null;
        case "finish":
          finish = { reason: part.finishReason, usage: part.usage };
          return null;
        default:
          return null;
      }
    },
    done() {
      if (finish === null || isMissing(finish.reason)) return null;
      const parts = blocks.flatMap(toPart);
      const hasCalls = parts.some((part) => part.type === "tool_call");
      return { type: "done", parts, usage: toUsage(finish.usage), finish: toFinish(finish.reason, hasCalls) };
    },
  };
}

/** The ids of all tool calls in a conversation. */
export function callIdsOf(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.parts) if (part.type === "tool_call") ids.add(part.callId);
  }
  return ids;
}

function toPart(block: Block): MessagePart[] {
  if (block.kind === "call") return [block.part];
  if (block.kind === "reasoning") {
    const empty = block.text === "" && block.data === null;
    return empty ? [] : [{ type: "reasoning", text: block.text, providerData: block.data }];
  }
  return block.text === "" ? [] : [{ type: "text", text: block.text }];
}

/** Some servers number their calls from 0 in every answer. */
function freshId(id: string, used: Set<string>): string {
  const fresh = id === "" || used.has(id) ? randomUUID() : id;
  used.add(fresh);
  return fresh;
}

/** No arguments are an empty object; text that is not JSON is passed on as it is, the loop answers it (TN-7). */
function parsedArgs(input: string): Json {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}

/** Later metadata adds to earlier: a signature comes in pieces of their own. Keys without a value are left out. */
function merged(known: JsonObject | null, metadata: SharedV4ProviderMetadata): JsonObject | null {
  const result: Record<string, Json> = { ...known };
  for (const [namespace, values] of Object.entries(metadata)) {
    const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
    if (kept.length > 0)
      result[namespace] = { ...(result[namespace] as JsonObject), ...Object.fromEntries(kept) } as JsonObject;
  }
  return Object.keys(result).length === 0 ? null : result;
}

function toUsage(usage: LanguageModelV4Usage): TokenUsage {
  return {
    input: usage.inputTokens.total ?? 0,
    output: usage.outputTokens.total ?? 0,
    cached: usage.inputTokens.cacheRead ?? 0,
  };
}

/** Some SDKs end a stream that broke off, or a page that is no stream at all, with a finish of their own making. */
function isMissing(reason: LanguageModelV4FinishReason): boolean {
  if (reason.unified === "error" || reason.unified === "interrupted") return true;
  return reason.unified === "other" && reason.raw === undefined;
}

function toFinish(reason: LanguageModelV4FinishReason, hasCalls: boolean): FinishReason {
  if (reason.unified === "length") return "length";
  if (hasCalls) return "tool_calls";
  return reason.unified === "stop" ? "stop" : "other";
}
