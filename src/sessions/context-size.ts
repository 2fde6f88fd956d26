import type { MessagePart, TranscriptMessage } from "../core/message/transcript.ts";

/** What one image or file costs a model, in tokens; most vendors count about so much. */
const ATTACHMENT_TOKENS = 1_000;
const MESSAGE_TOKENS = 5;
/** Cautious rules of thumb: tokenizers make of ordinary Latin text fewer tokens than this, of other scripts more. */
const ASCII_PER_TOKEN = 3.6;
const OTHERS_PER_TOKEN = 1.5;

/** Tokens of a text, estimated. */
export function textTokens(text: string): number {
  // One byte each: the ordinary case, counted by the machine.
  if (Buffer.byteLength(text) === text.length) return text.length / ASCII_PER_TOKEN;
  let others = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) others += 1;
  return (text.length - others) / ASCII_PER_TOKEN + others / OTHERS_PER_TOKEN;
}

export function messageTokens(message: { readonly parts: readonly MessagePart[] }): number {
  return message.parts.reduce((sum, part) => sum + partTokens(part), MESSAGE_TOKENS);
}

function partTokens(part: MessagePart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textTokens(part.text);
    case "tool_call":
      return textTokens(JSON.stringify(part.args) + part.name);
    case "tool_result":
      return textTokens(JSON.stringify(part.result));
    case "attachment":
      return ATTACHMENT_TOKENS;
  }
}

export function totalTokens(messages: readonly { readonly parts: readonly MessagePart[] }[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/**
 * The size of a context in tokens (TN-12): what the provider counted at the last call whose count still holds, and an estimate of
 * what came after it; without such a count all is estimated. `overhead`: prompt and tools, estimated.
 */
export function contextSize(
  messages: readonly Pick<TranscriptMessage, "seq" | "role" | "parts" | "usage">[],
  { overhead, measuredAfter }: { readonly overhead: number; readonly measuredAfter: number },
): number {
  const at = messages.findLastIndex(({ usage, seq }) => usage !== null && seq > measuredAfter);
  const usage = messages[at]?.usage;
  if (usage === undefined || usage === null || usage.input === 0) return overhead + totalTokens(messages);
  return usage.input + usage.output + totalTokens(messages.slice(at + 1));
}
