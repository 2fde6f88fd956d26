import type {
  JSONValue,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonObject } from "../../core/json.ts";
import type { ModelMessage, ModelPart, ModelRequest, ModelTool } from "../../core/model.ts";

/** How one provider wants its conversation. */
export interface PromptStyle {
  /** The key of this provider's own data in `providerData`; parts signed by another provider lose it. */
  readonly namespace: string;
  /**
   * Reasoning that no provider signed: `drop`, or `current`: sent back for the tool loop in progress only, which is what
   * reasoning models behind compatible servers need; older reasoning only costs tokens.
   */
  readonly unsignedReasoning: "drop" | "current";
  /** Options put on the system message and on the last message (Anthropic's cache marks); null: none. */
  readonly cacheMark: SharedV4ProviderOptions | null;
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

/** The request's system text and messages as the SDK's prompt. Empty texts and messages are left out: servers refuse them. */
export function toPrompt(
  request: Pick<ModelRequest, "system" | "messages">,
  style: PromptStyle,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (request.system !== "") prompt.push({ role: "system", content: request.system, ...marked(style) });
  const loopStart = request.messages.findLastIndex((message) => message.role === "user");
  for (const [at, message] of request.messages.entries()) {
    const converted = toMessage(message, style, at > loopStart);
    if (converted !== null) prompt.push(converted);
  }
  const last = prompt.at(-1);
  if (last !== undefined && last.role !== "system") Object.assign(last, marked(style));
  return prompt;
}

/** The tools as the SDK's function tools. `strict: false` keeps OpenAI from making optional arguments required. */
export function toTools(tools: readonly ModelTool[], options: { strict?: false } = {}): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
    ...options,
  }));
}

function toMessage(message: ModelMessage, style: PromptStyle, inLoop: boolean): LanguageModelV4Message | null {
  switch (message.role) {
    case "user": {
      const content = message.parts.flatMap(toUserPart);
      return content.length === 0 ? null : { role: "user", content };
    }
    case "assistant": {
      const content = message.parts.flatMap((part) => toAssistantPart(part, style, inLoop));
      return content.every((part) => part.type === "reasoning") ? null : { role: "assistant", content };
    }
    case "tool": {
      const content = message.parts.flatMap(toToolPart);
      return content.length === 0 ? null : { role: "tool", content };
    }
  }
}

function toUserPart(part: ModelPart): UserPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "image":
      return [{ type: "file", mediaType: part.mime, data: { type: "data", data: part.bytes } }];
    default:
      return [];
  }
}

function toAssistantPart(part: ModelPart, style: PromptStyle, inLoop: boolean): AssistantPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning": {
      const own = ownData(part.providerData, style);
      if (own !== null) return [{ type: "reasoning", text: part.text, providerOptions: own }];
      const wanted = part.providerData === null && style.unsignedReasoning === "current" && inLoop && part.text !== "";
      return wanted ? [{ type: "reasoning", text: part.text }] : [];
    }
    case "tool_call": {
      const own = ownData(part.providerData, style);
      return [
        {
          type: "tool-call",
          toolCallId: wireId(part.callId),
          toolName: part.name,
          input: isObject(part.args) ? part.args : { malformed_arguments: part.args },
          ...(own === null ? {} : { providerOptions: own }),
        },
      ];
    }
    default:
      return [];
  }
}

function toToolPart(part: ModelPart): ToolPart[] {
  if (part.type !== "tool_result") return [];
  const text = typeof part.result === "string";
  const value = part.result as JSONValue;
  return [
    {
      type: "tool-result",
      toolCallId: wireId(part.callId),
      toolName: part.name,
      output: text
        ? { type: part.isError ? "error-text" : "text", value: value as string }
        : { type: part.isError ? "error-json" : "json", value },
    },
  ];
}

/** Only what this provider wrote goes back to it: a signature of another vendor is refused or worse. */
function ownData(data: JsonObject | null, style: PromptStyle): SharedV4ProviderOptions | null {
  const own = data?.[style.namespace];
  return own === undefined ? null : ({ [style.namespace]: own } as SharedV4ProviderOptions);
}

/** Providers restrict the ids of calls that another model made; call and result change alike, so they stay a pair. */
function wireId(callId: string): string {
  return callId.replace(/[^a-zA-Z0-9_:.-]/g, "_").slice(0, 64);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function marked(style: PromptStyle): { providerOptions?: SharedV4ProviderOptions } {
  return style.cacheMark === null ? {} : { providerOptions: style.cacheMark };
}
