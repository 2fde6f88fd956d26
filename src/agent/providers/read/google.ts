import type { Json } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { FinishReason } from "../../../core/model.ts";
import type { Reader } from "../wire/protocol.ts";
import type { AnswerParts } from "./answer.ts";

/** Google's Gemini API: as events, or as the array it gives without `alt=sse`. */
export function readGoogle(answer: AnswerParts): Reader {
  let calls = 0;

  function part(value: Json): void {
    if (!isJsonObject(value)) return;
    const signature = typeof value.thoughtSignature === "string" ? { signature: value.thoughtSignature } : {};
    if (isJsonObject(value.functionCall)) {
      const { id, name, args } = value.functionCall;
      answer.call(`call${calls}`, { id, name, args: args ?? {}, data: signature });
      calls += 1;
    } else if (value.thought === true) {
      answer.reasoning(value.text);
      if ("signature" in signature) answer.reasoningData(signature);
    } else {
      answer.text(value.text);
    }
  }

  return {
    accept(value) {
      if (!isJsonObject(value)) return;
      if (value.error !== undefined && value.error !== null) throw value;
      const [candidate] = (
        Array.isArray(value.candidates) ? (value.candidates as readonly Json[]) : [value.candidates]
      ).filter(isJsonObject);
      const content = isJsonObject(candidate?.content) ? candidate.content : {};
      for (const one of (Array.isArray(content.parts) ? content.parts : []) as readonly Json[]) part(one);
      if (isJsonObject(value.usageMetadata)) {
        const usage = value.usageMetadata;
        const input = sum(usage.promptTokenCount, usage.toolUsePromptTokenCount);
        const output = sum(usage.candidatesTokenCount, usage.thoughtsTokenCount);
        answer.usage({ input, output, cached: usage.cachedContentTokenCount });
      }
      const blocked = isJsonObject(value.promptFeedback) ? value.promptFeedback.blockReason : undefined;
      if (typeof blocked === "string") answer.finish("filtered");
      const reason = candidate?.finishReason;
      if (typeof reason === "string" && reason !== "") answer.finish(finishOfGemini(reason));
    },
  };
}

function sum(...values: readonly (Json | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined && value !== null).map(Number);
  return known.length === 0 ? undefined : known.reduce((all, value) => all + value, 0);
}

function finishOfGemini(reason: string): FinishReason {
  switch (reason) {
    case "STOP":
      return "stop";
    case "MAX_TOKENS":
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "IMAGE_SAFETY":
    case "LANGUAGE":
      return "filtered";
    default:
      return "other";
  }
}
