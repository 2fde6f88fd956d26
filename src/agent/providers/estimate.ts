import type { ModelRequest } from "../../core/model.ts";

const CHARACTERS_PER_TOKEN = 3.6;
const PICTURE_TOKENS = 1_000;

/** Tokens of a request, estimated: for servers that count nothing (FC-315), and to know a window that is nearly full (FC-305). */
export function requestTokens({
  system,
  messages,
  tools,
}: Pick<ModelRequest, "system" | "messages" | "tools">): number {
  let characters = system.length;
  let pictures = 0;
  for (const { name, description, parameters } of tools) {
    characters += name.length + description.length + JSON.stringify(parameters).length;
  }
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "text" || part.type === "reasoning") characters += part.text.length;
      else if (part.type === "tool_call") characters += JSON.stringify(part.args).length + part.name.length;
      else if (part.type === "tool_result") characters += JSON.stringify(part.result).length;
      else pictures += 1;
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + pictures * PICTURE_TOKENS;
}
