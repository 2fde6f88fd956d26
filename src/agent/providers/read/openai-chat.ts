import type { Json, JsonObject } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { FinishReason } from "../../../core/model.ts";
import type { Reader } from "../wire/protocol.ts";
import type { AnswerParts } from "./answer.ts";

/** OpenAI's chat completions as servers really stream them (FC-310): fields missing, null, in other places or of other types. */
export function readChat(answer: AnswerParts): Reader {
  let lastBlock = "";

  function call(value: Json, at: number): void {
    if (!isJsonObject(value)) return;
    const fn = isJsonObject(value.function) ? value.function : value;
    const given = value.index === undefined || value.index === null ? null : String(value.index);
    const id = typeof value.id === "string" && value.id !== "" ? value.id : null;
    let block = given ?? (id === null && fn.name === undefined ? lastBlock : `n${at}`);
    // Some servers give every call the index 0, or none.
    const known = answer.callId(block);
    if (known !== null && known !== "" && id !== null && known !== id) block = `id:${id}`;
    if (block === "") block = `n${at}`;
    lastBlock = block;
    const {
      id: _id,
      index: _index,
      type: _type,
      function: _function,
      name: _name,
      arguments: _arguments,
      ...extra
    } = value;
    answer.call(block, {
      id,
      name: fn.name,
      args: fn.arguments ?? fn.parameters,
      ...(Object.keys(extra).length === 0 ? {} : { data: { extra } }),
    });
  }

  function message(delta: JsonObject): void {
    for (const field of ["reasoning_content", "reasoning"]) {
      const thought = delta[field];
      if (typeof thought !== "string" || thought === "") continue;
      answer.reasoning(thought);
      answer.reasoningData({ field });
      break;
    }
    if (Array.isArray(delta.reasoning_details) && delta.reasoning_details.length > 0) details(delta.reasoning_details);
    content(delta.content ?? delta.text);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      answer.text(delta.refusal);
      answer.finish("refused");
    }
    const calls = Array.isArray(delta.tool_calls) ? (delta.tool_calls as readonly Json[]) : [delta.tool_calls];
    for (const [at, value] of calls.entries()) if (isJsonObject(value)) call(value, at);
    if (isJsonObject(delta.function_call)) call({ function: delta.function_call }, 0);
  }

  const kept: JsonObject[] = [];
  /** OpenRouter's reasoning blocks come in pieces by index; they go back as one list. */
  function details(list: readonly Json[]): void {
    for (const one of list.filter(isJsonObject)) {
      const at = kept.findIndex(
        (known) => known.index === one.index && known.type === one.type && one.index !== undefined,
      );
      const known = kept[at];
      if (known === undefined) kept.push(one);
      else {
        const joined = Object.fromEntries(
          Object.entries(one).map(([key, value]) => {
            const before = known[key];
            const grows =
              ["text", "summary", "data"].includes(key) && typeof before === "string" && typeof value === "string";
            return [key, grows ? before + value : (value ?? before ?? null)];
          }),
        );
        kept[at] = { ...known, ...joined };
      }
      const said = one.text ?? one.summary;
      answer.reasoningData({ details: [...kept], detailed: typeof said === "string" ? true : undefined });
    }
  }

  function content(value: Json | undefined): void {
    if (typeof value === "string") answer.text(value);
    if (!Array.isArray(value)) return;
    for (const part of (value as readonly Json[]).filter(isJsonObject)) {
      if (part.type === "thinking" || part.type === "reasoning") {
        for (const inner of (Array.isArray(part.thinking) ? part.thinking : [part]) as readonly Json[]) {
          answer.reasoning(isJsonObject(inner) ? inner.text : inner);
        }
      } else content(part.text);
    }
  }

  return {
    accept(value) {
      if (!isJsonObject(value)) return;
      if (value.error !== undefined && value.error !== null) throw value;
      const choices = Array.isArray(value.choices) ? (value.choices as readonly Json[]) : [value.choices];
      const [choice] = choices.filter(isJsonObject);
      const usage = [value.usage, choice?.usage, isJsonObject(value.x_groq) ? value.x_groq.usage : undefined].find(
        isJsonObject,
      );
      if (usage !== undefined) countChat(usage, answer);
      const body = choice === undefined ? value : (choice.delta ?? choice.message ?? choice);
      if (isJsonObject(body) && (choice !== undefined || isJsonObject(value.message)))
        message(isJsonObject(value.message) && choice === undefined ? value.message : body);
      const reason = choice?.finish_reason ?? choice?.finishReason;
      if (typeof reason === "string" && reason !== "") answer.finish(finishOfChat(reason));
      // A message that is not streamed is whole without a reason.
      else if (choice?.message !== undefined && choice.message !== null && choice.delta === undefined) answer.whole();
    },
  };
}

function countChat(usage: JsonObject, answer: AnswerParts): void {
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  answer.usage({
    input: usage.prompt_tokens ?? usage.input_tokens,
    output: usage.completion_tokens ?? usage.output_tokens,
    cached: details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
  });
}

function finishOfChat(reason: string): FinishReason {
  switch (reason.toLowerCase()) {
    case "length":
    case "max_tokens":
    case "model_length":
      return "length";
    case "content_filter":
    case "safety":
    case "sensitive":
      return "filtered";
    case "refusal":
      return "refused";
    case "tool_calls":
    case "function_call":
      return "tool_calls";
    case "stop":
    case "eos":
    case "end_turn":
      return "stop";
    default:
      return "other";
  }
}
