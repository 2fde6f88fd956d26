import type { Json } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { ModelRequest } from "../../../core/model.ts";
import type { ProviderSettings } from "../../../core/settings.ts";
import { type AssistantBlock, jsonText, type Passage, strictConversation } from "./conversation.ts";
import { NO_SIGNATURE, withoutCalls } from "./openai-chat.ts";
import type { Form, WireRequest } from "./protocol.ts";
import { offeredTools } from "./tool-schema.ts";

/** https://ai.google.dev/gemini-api/docs/image-understanding: a whole request holds 20 MB. */
const PICTURES = { types: ["image/png", "image/jpeg", "image/webp", "image/heic"], maxBytes: 7_000_000 };
const BUDGETS = { minimal: 512, low: 2_048, medium: 8_192, high: 24_576 } as const;

/** Google's Gemini API. Thought signatures go back with the very parts they came with. */
export function writeGoogle(request: ModelRequest, form: Form, settings: ProviderSettings): WireRequest {
  const { quirks } = form;
  const tools = offeredTools(request.tools, quirks, "google");
  const { model } = request.model;
  const passages = withoutCalls(strictConversation(request.messages, form, PICTURES), tools.length > 0);
  const config = {
    ...thinkingConfig(request, form),
    ...(quirks.maxOutput === null ? {} : { maxOutputTokens: quirks.maxOutput }),
  };
  return {
    path: `/${model.includes("/") ? model : `models/${model}`}:streamGenerateContent?alt=sse`,
    headers: { "x-goog-api-key": settings.apiKey ?? "" },
    body: {
      ...(request.system.trim() === ""
        ? {}
        : { systemInstruction: { parts: [{ text: request.system.toWellFormed() }] } }),
      contents: contentsOf(passages, { signs: /gemini-([3-9]|\d\d)/.test(model) }),
      ...(tools.length === 0
        ? {}
        : {
            tools: [
              {
                functionDeclarations: tools.map(({ name, description, schema }) => ({
                  name,
                  description,
                  ...(Object.keys(schema.properties ?? {}).length === 0 ? {} : { parameters: schema }),
                })),
              },
            ],
          }),
      ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    },
  };
}

function contentsOf(passages: readonly Passage[], { signs }: { readonly signs: boolean }): readonly object[] {
  const made: { role: string; parts: object[] }[] = [];
  for (const passage of passages) {
    const role = passage.role === "assistant" ? "model" : "user";
    const parts = passage.role === "assistant" ? modelParts(passage.blocks, signs) : userParts(passage);
    const last = made.at(-1);
    if (parts.length === 0) continue;
    // FC-304: all results of a step, and what a person wrote after them, are one content.
    if (last?.role === role) last.parts.push(...parts);
    else made.push({ role, parts });
  }
  return made;
}

function userParts(passage: Exclude<Passage, { role: "assistant" }>): object[] {
  if (passage.role === "results") {
    return passage.blocks.map(({ name, result, isError }) => ({
      functionResponse: { name, response: responseOf(result, isError) },
    }));
  }
  return passage.blocks.map((block) =>
    block.type === "text" ? { text: block.text } : { inlineData: { mimeType: block.mime, data: block.base64 } },
  );
}

/** An object is wanted here. */
function responseOf(result: Json, isError: boolean): object {
  if (isJsonObject(result)) return result;
  return { [isError ? "error" : "result"]: typeof result === "string" ? result : jsonText(result) };
}

function modelParts(blocks: readonly AssistantBlock[], signs: boolean): object[] {
  const parts: object[] = [];
  let calls = 0;
  for (const block of blocks) {
    const signature = block.type !== "text" && typeof block.data?.signature === "string" ? block.data.signature : null;
    if (block.type === "text") parts.push({ text: block.text });
    else if (block.type === "reasoning") {
      if (signature !== null) parts.push({ text: block.text, thought: true, thoughtSignature: signature });
    } else {
      const foreign = block.data === null && signs && calls === 0;
      const signed = signature ?? (foreign ? NO_SIGNATURE : null);
      calls += 1;
      parts.push({
        functionCall: { name: block.name, args: block.args },
        ...(signed === null ? {} : { thoughtSignature: signed }),
      });
    }
  }
  return parts;
}

function thinkingConfig({ model, thinking }: ModelRequest, { quirks }: Form): object {
  if (thinking === null || !quirks.thinking) return {};
  const pro = model.model.includes("pro");
  if (/gemini-([3-9]|\d\d)/.test(model.model)) {
    const least = pro ? "low" : "minimal";
    const level =
      thinking === "off" || thinking === "minimal" ? least : pro && thinking === "medium" ? "high" : thinking;
    return { thinkingConfig: { thinkingLevel: level } };
  }
  if (thinking === "off") return { thinkingConfig: { thinkingBudget: pro ? 128 : 0 } };
  return { thinkingConfig: { thinkingBudget: BUDGETS[thinking] } };
}
