import type { ModelRequest } from "../../../core/model.ts";
import type { ProviderSettings } from "../../../core/settings.ts";
import { callInWords, resultInWords, understood } from "../../../core/texts/agent/wire.ts";
import { type AssistantBlock, jsonText, type Passage, strictConversation, type UserBlock } from "./conversation.ts";
import type { Form, WireRequest } from "./protocol.ts";
import { offeredTools } from "./tool-schema.ts";

const PICTURES = { types: ["image/png", "image/jpeg", "image/gif", "image/webp"], maxBytes: 15_000_000 };

/** What stands in for the signature of a call another model made (FC-302): https://ai.google.dev/gemini-api/docs/thought-signatures */
export const NO_SIGNATURE = "skip_thought_signature_validator";
const UNSIGNED = { extra_content: { google: { thought_signature: NO_SIGNATURE } } };

type ChatMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** OpenAI's chat completions, as every compatible server takes them. */
export function writeChat(request: ModelRequest, form: Form, settings: ProviderSettings): WireRequest {
  const { quirks } = form;
  const tools = offeredTools(request.tools, quirks, "chat");
  return {
    path: "/chat/completions",
    headers: settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` },
    body: {
      model: request.model.model,
      messages: chatMessages(request, form, tools.length > 0),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ name, description, schema }) => ({
              type: "function",
              function: { name, description, parameters: schema },
            })),
          }),
      ...(quirks.thinking && request.thinking !== null
        ? { reasoning_effort: request.thinking === "off" ? "none" : request.thinking }
        : {}),
      ...(quirks.maxOutput === null ? {} : { max_tokens: quirks.maxOutput }),
      stream: true,
      ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : {}),
    },
  };
}

function chatMessages(request: ModelRequest, form: Form, hasTools: boolean): readonly ChatMessage[] {
  const { quirks } = form;
  const passages = withoutCalls(strictConversation(request.messages, form, PICTURES), hasTools);
  const made: ChatMessage[] = [];
  let before = request.system.trim() === "" || quirks.system === "user" ? "" : "system";
  if (before !== "") made.push({ role: "system", content: request.system });
  let system = quirks.system === "user" ? request.system : "";
  for (const passage of passages) {
    switch (passage.role) {
      case "user": {
        const blocks: readonly UserBlock[] =
          system === "" ? passage.blocks : [{ type: "text", text: system }, ...passage.blocks];
        system = "";
        if (before === "results" && !quirks.userAfterResults) made.push({ role: "assistant", content: understood });
        made.push({ role: "user", content: userContent(blocks) });
        break;
      }
      case "assistant":
        made.push(assistantMessage(passage, form));
        break;
      case "results":
        for (const { id, result } of passage.blocks) {
          made.push({
            role: "tool",
            tool_call_id: id,
            content: typeof result === "string" ? result : jsonText(result),
          });
        }
        break;
    }
    before = passage.role;
  }
  return made;
}

function userContent(blocks: readonly UserBlock[]): unknown {
  if (blocks.every((block) => block.type === "text")) return blocks.map(({ text }) => text).join("\n\n");
  return blocks.map((block) =>
    block.type === "text"
      ? { type: "text", text: block.text }
      : { type: "image_url", image_url: { url: `data:${block.mime};base64,${block.base64}` } },
  );
}

function assistantMessage({ blocks, inLoop }: Passage & { role: "assistant" }, { quirks }: Form): ChatMessage {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  const calls = blocks.filter((block) => block.type === "call");
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...reasoningFields(blocks, { hasCalls: calls.length > 0, inLoop, back: quirks.reasoningBack }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, args, data }, at) => ({
            id,
            type: "function",
            function: { name, arguments: jsonText(args) },
            ...(data?.extra === undefined ? (quirks.signedCalls && at === 0 ? UNSIGNED : {}) : (data.extra as object)),
          })),
        }),
  };
}

/** FC-302: reasoning goes back in the very fields it came in. DeepSeek wants the field beside calls even when it is empty. */
function reasoningFields(
  blocks: readonly AssistantBlock[],
  { hasCalls, inLoop, back }: { hasCalls: boolean; inLoop: boolean; back: Form["quirks"]["reasoningBack"] },
): object {
  const wanted = back === "all" || (back === "calls" && hasCalls) || (back === "loop" && inLoop);
  if (!wanted) return {};
  const thoughts = blocks.filter((block) => block.type === "reasoning");
  const details = thoughts.flatMap(({ data }) => (Array.isArray(data.details) ? data.details : []));
  const text = thoughts.map((block) => block.text).join("");
  const field = thoughts.map(({ data }) => data.field).find((name) => typeof name === "string");
  if (thoughts.length === 0) return back === "calls" ? { reasoning_content: "" } : {};
  return {
    ...(text === "" && back !== "calls" ? {} : { [String(field ?? "reasoning_content")]: text }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
}

/** Servers that are offered no tools refuse calls too (Bedrock, Anthropic): calls and their results become words. */
export function withoutCalls(passages: readonly Passage[], hasTools: boolean): readonly Passage[] {
  if (hasTools) return passages;
  const made: Passage[] = [];
  for (const passage of passages) {
    if (passage.role === "results") {
      const blocks = passage.blocks.map(({ name, result }) => ({
        type: "text" as const,
        text: resultInWords(name, typeof result === "string" ? result : jsonText(result)),
      }));
      made.push({ role: "user", blocks });
    } else if (passage.role === "assistant") {
      const blocks = passage.blocks.map((block) =>
        block.type === "call" ? { type: "text" as const, text: callInWords(block.name, jsonText(block.args)) } : block,
      );
      made.push({ ...passage, blocks });
    } else {
      const last = made.at(-1);
      if (last?.role === "user") made[made.length - 1] = { role: "user", blocks: [...last.blocks, ...passage.blocks] };
      else made.push(passage);
    }
  }
  return made;
}
