import type { Json } from "../../../core/json.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { ModelRequest } from "../../../core/model.ts";
import type { ThinkingLevel } from "../../../core/session/session.ts";
import type { ProviderSettings } from "../../../core/settings.ts";
import { type AssistantBlock, jsonText, type Passage, strictConversation } from "./conversation.ts";
import { withoutCalls } from "./openai-chat.ts";
import type { Form, WireRequest } from "./protocol.ts";
import { offeredTools } from "./tool-schema.ts";

/** https://docs.claude.com/en/docs/build-with-claude/vision: 5 MB of a picture, counted in base64. */
const PICTURES = { types: ["image/png", "image/jpeg", "image/gif", "image/webp"], maxBytes: 3_750_000 };
const MARK = { cache_control: { type: "ephemeral" } };

interface ClaudeModel {
  readonly name: RegExp;
  readonly maxOutput: number;
  /** `adaptive`: thinking by effort; `budget`: by a number of tokens; `always`: cannot be switched off. */
  readonly thinking: "adaptive" | "budget" | "always";
}

/** https://docs.claude.com/en/docs/about-claude/models/overview; the first that matches counts. */
const MODELS: readonly ClaudeModel[] = [
  { name: /claude-(sonnet|opus)-5-5|claude-fable-5/, maxOutput: 128_000, thinking: "always" },
  {
    name: /claude-(opus|sonnet|haiku)-5|claude-opus-4-[678]|claude-sonnet-4-6/,
    maxOutput: 128_000,
    thinking: "adaptive",
  },
  { name: /claude-(sonnet|opus|haiku)-4-5|claude-sonnet-4/, maxOutput: 64_000, thinking: "budget" },
  { name: /claude-opus-4/, maxOutput: 32_000, thinking: "budget" },
  { name: /./, maxOutput: 4_096, thinking: "budget" },
];
const BUDGET_SHARE = { minimal: 0.02, low: 0.1, medium: 0.3, high: 0.6 } as const;

/** Anthropic's Messages API. Cache marks on tools and instructions and on the newest messages: a chat's beginning is read again and again. */
export function writeAnthropic(request: ModelRequest, form: Form, settings: ProviderSettings): WireRequest {
  const { quirks } = form;
  const tools = offeredTools(request.tools, quirks, "anthropic");
  const passages = withoutCalls(strictConversation(request.messages, form, PICTURES), tools.length > 0);
  const mark = quirks.cacheMarks ? MARK : {};
  return {
    path: "/messages",
    headers: { "x-api-key": settings.apiKey ?? "", "anthropic-version": "2023-06-01" },
    body: {
      model: request.model.model,
      ...thinkingFields(request, passages, form),
      ...(request.system.trim() === ""
        ? {}
        : { system: [{ type: "text", text: request.system.toWellFormed(), ...mark }] }),
      messages: claudeMessages(passages, form, mark),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })) }),
      stream: true,
    },
  };
}

function claudeMessages(passages: readonly Passage[], form: Form, mark: object): readonly object[] {
  const made: { role: string; content: object[] }[] = [];
  for (const passage of passages) {
    const role = passage.role === "assistant" ? "assistant" : "user";
    const content =
      passage.role === "assistant"
        ? passage.blocks.flatMap((block) => assistantContent(block, form))
        : userContent(passage);
    const last = made.at(-1);
    if (content.length === 0) continue;
    // Results and what a person wrote after them are one message: roles alternate.
    if (last?.role === role) last.content.push(...content);
    else made.push({ role, content });
  }
  const users = made.filter(({ role }) => role === "user").slice(-2);
  for (const { content } of users) Object.assign(content.at(-1) ?? {}, mark);
  return made;
}

function userContent(passage: Exclude<Passage, { role: "assistant" }>): object[] {
  if (passage.role === "results") {
    return passage.blocks.map(({ id, result, isError }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: resultText(result),
      ...(isError ? { is_error: true } : {}),
    }));
  }
  return passage.blocks.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image", source: { type: "base64", media_type: block.mime, data: block.base64 } },
  );
}

function resultText(result: Json): string {
  const text = typeof result === "string" ? result : jsonText(result);
  return text.trim() === "" ? "(empty)" : text;
}

function assistantContent(block: AssistantBlock, { quirks }: Form): object[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "call":
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.args }];
    case "reasoning": {
      const { signature, redacted } = block.data;
      if (quirks.reasoningBack === "none" || !quirks.thinking) return [];
      if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
      return typeof signature === "string" ? [{ type: "thinking", thinking: block.text, signature }] : [];
    }
  }
}

function thinkingFields({ model, thinking }: ModelRequest, passages: readonly Passage[], { quirks }: Form): object {
  const facts = MODELS.find(({ name }) => name.test(model.model)) ?? { maxOutput: 4_096, thinking: "budget" as const };
  const maxOutput = quirks.maxOutput ?? facts.maxOutput;
  if (thinking === null || !quirks.thinking) return { max_tokens: maxOutput };
  if (thinking === "off") {
    return facts.thinking === "always"
      ? { max_tokens: maxOutput, output_config: { effort: "low" } }
      : { max_tokens: maxOutput, thinking: { type: "disabled" } };
  }
  if (facts.thinking !== "budget") {
    return {
      max_tokens: maxOutput,
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: effortOf(thinking) },
    };
  }
  const budget = Math.round(maxOutput * BUDGET_SHARE[thinking]);
  if (!thinksInLoop(passages) || maxOutput <= 2_048) return { max_tokens: maxOutput };
  return { max_tokens: maxOutput, thinking: { type: "enabled", budget_tokens: Math.max(1_024, budget) } };
}

function effortOf(thinking: Exclude<ThinkingLevel, "off">): string {
  return thinking === "minimal" ? "low" : thinking;
}

/** FC-302: with thinking on, a running tool loop must begin with Claude's own signed thinking; one begun elsewhere goes on without. */
function thinksInLoop(passages: readonly Passage[]): boolean {
  const loop = passages.filter((passage) => passage.role === "assistant" && passage.inLoop);
  return loop.every(({ blocks }) => {
    const [first] = blocks;
    return first?.type === "reasoning" && isJsonObject(first.data);
  });
}
