import type { Json } from "../../../core/json.ts";
import type { ModelRequest } from "../../../core/model.ts";
import type { ProviderSettings } from "../../../core/settings.ts";
import { type AssistantBlock, jsonText, type Passage, strictConversation, type UserBlock } from "./conversation.ts";
import { withoutCalls } from "./openai-chat.ts";
import type { Form, WireRequest } from "./protocol.ts";
import { offeredTools } from "./tool-schema.ts";

const PICTURES = { types: ["image/png", "image/jpeg", "image/gif", "image/webp"], maxBytes: 20_000_000 };
/** https://platform.openai.com/docs/models: only these know encrypted reasoning and effort. */
const REASONING = /^(gpt-([5-9]|\d\d)(?!.*chat)|o\d|codex)/;

/**
 * OpenAI's Responses API. Nothing is kept at OpenAI (`store: false`): reasoning comes back encrypted and is sent again with the
 * conversation, so that a session depends on no state but its own.
 */
export function writeResponses(request: ModelRequest, form: Form, settings: ProviderSettings): WireRequest {
  const { quirks } = form;
  const tools = offeredTools(request.tools, quirks, "openai");
  const reasons = REASONING.test(request.model.model) && quirks.thinking;
  const passages = withoutCalls(strictConversation(request.messages, form, PICTURES), tools.length > 0);
  const system =
    request.system.trim() === "" ? [] : [{ role: reasons ? "developer" : "system", content: request.system }];
  return {
    path: "/responses",
    // An empty key is refused by OpenAI itself, in its own words.
    headers: { authorization: `Bearer ${settings.apiKey ?? ""}` },
    body: {
      model: request.model.model,
      input: [...system, ...passages.flatMap((passage) => itemsOf(passage, form))],
      ...(tools.length === 0
        ? {}
        : {
            // Not strict: optional arguments stay optional.
            tools: tools.map(({ name, description, schema }) => ({
              type: "function",
              name,
              description,
              parameters: schema,
              strict: false,
            })),
          }),
      ...(reasons && request.thinking !== null ? { reasoning: effortOf(request) } : {}),
      ...(reasons ? { include: ["reasoning.encrypted_content"] } : {}),
      ...(quirks.maxOutput === null ? {} : { max_output_tokens: quirks.maxOutput }),
      store: false,
      stream: true,
    },
  };
}

function effortOf({ model, thinking }: ModelRequest): object {
  if (thinking !== "off") return { effort: thinking, summary: "detailed" };
  // Models before gpt-5.1 cannot be told not to think at all.
  return {
    effort: /^gpt-(5\.[1-9]|[6-9]|\d\d)/.test(model.model) ? "none" : /^gpt-5/.test(model.model) ? "minimal" : "low",
  };
}

function itemsOf(passage: Passage, form: Form): readonly object[] {
  switch (passage.role) {
    case "user":
      return [{ role: "user", content: passage.blocks.map(userPart) }];
    case "results":
      return passage.blocks.map(({ id, result }) => ({
        type: "function_call_output",
        call_id: id,
        output: outputOf(result),
      }));
    case "assistant":
      return passage.blocks.flatMap((block, at) => assistantItem(block, passage.blocks.slice(at + 1), form));
  }
}

function userPart(block: UserBlock): object {
  return block.type === "text"
    ? { type: "input_text", text: block.text }
    : { type: "input_image", image_url: `data:${block.mime};base64,${block.base64}` };
}

function outputOf(result: Json): string {
  return typeof result === "string" ? result : jsonText(result);
}

function assistantItem(block: AssistantBlock, after: readonly AssistantBlock[], { quirks }: Form): readonly object[] {
  switch (block.type) {
    case "text":
      return [{ role: "assistant", content: [{ type: "output_text", text: block.text }] }];
    case "call":
      return [{ type: "function_call", call_id: block.id, name: block.name, arguments: jsonText(block.args) }];
    case "reasoning": {
      const { id, encrypted, summary } = block.data;
      // Reasoning is refused without what it led to.
      const led = after.some(({ type }) => type !== "reasoning");
      if (quirks.reasoningBack === "none" || typeof encrypted !== "string" || !led) return [];
      return [
        {
          type: "reasoning",
          ...(id === undefined ? {} : { id }),
          encrypted_content: encrypted,
          summary: summary ?? [],
        },
      ];
    }
  }
}
