import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { FinishReason } from "../../../core/model.ts";
import type { Reader } from "../wire/protocol.ts";
import type { AnswerParts } from "./answer.ts";

/** Anthropic's Messages API, streamed or whole; events of unknown types are passed over (FC-310). */
export function readAnthropic(answer: AnswerParts): Reader {
  /** Blocks whose arguments came whole at their start; deltas take their place. */
  const started = new Map<string, Json>();

  function block(content: JsonObject, at: string): void {
    switch (content.type) {
      case "text":
        answer.text(content.text, at);
        break;
      case "thinking":
        answer.reasoning(content.thinking, at);
        answer.reasoningData({ signature: filled(content.signature) }, at);
        break;
      case "redacted_thinking":
        answer.reasoningData({ redacted: content.data }, at);
        break;
      case "tool_use":
        answer.call(at, { id: content.id, name: content.name });
        if (isJsonObject(content.input) && Object.keys(content.input).length > 0) started.set(at, content.input);
        else if (typeof content.input === "string" && content.input !== "") started.set(at, content.input);
        break;
      default:
    }
  }

  function delta(change: JsonObject, at: string): void {
    if (change.text !== undefined) answer.text(change.text, at);
    if (change.thinking !== undefined) answer.reasoning(change.thinking, at);
    if (typeof change.signature === "string" && change.signature !== "")
      answer.reasoningData({ signature: change.signature }, at);
    const json = change.partial_json;
    if (json !== undefined && json !== null && json !== "") {
      started.delete(at);
      answer.call(at, { args: json });
    }
  }

  function settle(): void {
    for (const [at, args] of started) answer.call(at, { args });
    started.clear();
  }

  return {
    accept(value) {
      if (!isJsonObject(value)) return;
      if (value.type === "error" || (value.error !== undefined && value.error !== null)) throw value;
      const at = String(value.index ?? 0);
      switch (value.type) {
        case "message_start":
          if (isJsonObject(value.message)) whole(value.message);
          break;
        case "message":
          whole(value);
          answer.whole();
          break;
        case "content_block_start":
          if (isJsonObject(value.content_block)) block(value.content_block, at);
          break;
        case "content_block_delta":
          if (isJsonObject(value.delta)) delta(value.delta, at);
          break;
        case "message_delta": {
          const change = isJsonObject(value.delta) ? value.delta : {};
          if (typeof change.stop_reason === "string") answer.finish(finishOfClaude(change.stop_reason));
          if (isJsonObject(value.usage)) count(value.usage);
          break;
        }
        case "message_stop":
          answer.whole();
          break;
        default:
      }
    },
    end: settle,
  };

  function whole(message: JsonObject): void {
    if (isJsonObject(message.usage)) count(message.usage);
    const content = Array.isArray(message.content) ? (message.content as readonly Json[]) : [];
    for (const [at, one] of content.entries()) if (isJsonObject(one)) block(one, String(at));
    if (typeof message.stop_reason === "string") answer.finish(finishOfClaude(message.stop_reason));
  }

  function count(usage: JsonObject): void {
    const read = Number(usage.cache_read_input_tokens ?? 0) || 0;
    const written = Number(usage.cache_creation_input_tokens ?? 0) || 0;
    const input = Number(usage.input_tokens ?? Number.NaN);
    answer.usage({
      ...(Number.isFinite(input) ? { input: input + read + written } : {}),
      output: usage.output_tokens,
      ...(read > 0 ? { cached: read } : {}),
      ...(written > 0 ? { cacheWrite: written } : {}),
    });
  }
}

function filled(value: Json | undefined): Json | undefined {
  return value === "" ? undefined : value;
}

function finishOfClaude(reason: string): FinishReason {
  switch (reason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refused";
    case "tool_use":
      return "tool_calls";
    case "end_turn":
    case "stop_sequence":
      return "stop";
    default:
      return "other";
  }
}
