import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { Reader } from "../wire/protocol.ts";
import type { AnswerParts } from "./answer.ts";

/** OpenAI's Responses API. What no delta said is read from the finished items (FC-310). */
export function readResponses(answer: AnswerParts): Reader {
  const said = new Set<string>();
  const open = new Set<string>();
  let isOver = false;

  const say = (kind: "text" | "reasoning", at: string, delta: Json | undefined): void => {
    if (typeof delta !== "string" || delta === "") return;
    said.add(`${kind}:${at}`);
    if (kind === "text") answer.text(delta, at);
    else answer.reasoning(delta, at);
  };

  /** A finished item; `at` is its place in the output. */
  function item(value: JsonObject, at: string): void {
    switch (value.type) {
      case "message":
        for (const part of list(value.content)) {
          if (!said.has(`text:${at}`)) answer.text(part.text ?? part.refusal, at);
          if (part.type === "refusal") answer.finish("refused");
        }
        break;
      case "reasoning": {
        const summary = list(value.summary);
        if (!said.has(`reasoning:${at}`)) answer.reasoning(summary.map(({ text }) => text).join("\n\n"), at);
        answer.reasoningData({ id: value.id, encrypted: value.encrypted_content, summary }, at);
        break;
      }
      case "function_call":
        answer.call(at, {
          id: value.call_id,
          name: value.name,
          ...(said.has(`args:${at}`) ? {} : { args: value.arguments }),
        });
        break;
      default:
    }
  }

  return {
    accept(value) {
      if (!isJsonObject(value)) return;
      const type = typeof value.type === "string" ? value.type : "";
      const at = String(value.output_index ?? 0);
      if (type === "error" || type === "response.failed") throw failureOf(value);
      if (type === "" && value.error !== undefined && value.error !== null) throw value;
      switch (type) {
        case "response.output_text.delta":
        case "response.refusal.delta":
          say("text", at, value.delta);
          if (type === "response.refusal.delta") answer.finish("refused");
          break;
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          say("reasoning", at, value.delta);
          break;
        case "response.function_call_arguments.delta":
          said.add(`args:${at}`);
          answer.call(at, { args: value.delta });
          break;
        case "response.output_item.added":
          open.add(at);
          if (isJsonObject(value.item) && value.item.type === "function_call") {
            answer.call(at, { id: value.item.call_id, name: value.item.name });
          }
          break;
        case "response.output_item.done":
          open.delete(at);
          if (isJsonObject(value.item)) item(value.item, at);
          said.add(`item:${at}`);
          break;
        case "response.completed":
        case "response.incomplete":
          if (isJsonObject(value.response)) whole(value.response);
          break;
        default:
          if (value.object === "response") whole(value);
      }
    },
    end() {
      // Every item is finished: the answer is whole even when its last event did not come.
      if (!isOver && open.size === 0 && [...said].some((one) => one.startsWith("item:"))) answer.whole();
    },
  };

  function whole(response: JsonObject): void {
    isOver = true;
    for (const [at, value] of list(response.output).entries()) {
      if (!said.has(`item:${at}`)) item(value, String(at));
    }
    if (isJsonObject(response.usage)) {
      const { usage } = response;
      const details = isJsonObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
      answer.usage({ input: usage.input_tokens, output: usage.output_tokens, cached: details.cached_tokens });
    }
    const incomplete = isJsonObject(response.incomplete_details) ? response.incomplete_details.reason : undefined;
    if (incomplete === "content_filter") answer.finish("filtered");
    else if (typeof incomplete === "string" || response.status === "incomplete") answer.finish("length");
    else answer.whole();
  }
}

function list(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function failureOf(value: JsonObject): JsonObject {
  const { response } = value;
  return isJsonObject(response) && isJsonObject(response.error) ? { error: response.error } : value;
}
