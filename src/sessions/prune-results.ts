import type { MessagePart, TranscriptMessage } from "../core/message/transcript.ts";
import { totalTokens } from "./context-size.ts";

/** A result larger than this is large, in characters of its JSON. */
const LARGE = 1_500;
/** What is left of it at either end. */
const HEAD = 400;
const TAIL = 200;
/** The newest messages with results are never shortened: the model works with them. */
const KEPT_RESULTS = 4;

/** The context with the large tool results up to a message shortened (TN-12). The transcript keeps them whole. */
export function pruneResults(messages: readonly TranscriptMessage[], upToSeq: number): readonly TranscriptMessage[] {
  if (upToSeq === 0) return messages;
  return messages.map((message) =>
    message.role === "tool" && message.seq <= upToSeq ? { ...message, parts: message.parts.map(pruned) } : message,
  );
}

function pruned(part: MessagePart): MessagePart {
  if (part.type !== "tool_result") return part;
  const text = JSON.stringify(part.result);
  if (text.length <= LARGE) return part;
  const left = text.length - HEAD - TAIL;
  const shown = `${text.slice(0, HEAD).toWellFormed()} [… ${left} characters of this old result are left out …] ${text.slice(-TAIL).toWellFormed()}`;
  return { ...part, result: { status: "pruned", shown } };
}

/** Up to where results may be shortened, and how many tokens that saves; null: nothing is old and large enough. */
export function pruningOf(
  messages: readonly TranscriptMessage[],
  prunedUpTo: number,
): { readonly upToSeq: number; readonly saved: number } | null {
  const results = messages.filter((message) => message.role === "tool");
  const upToSeq = results.at(-1 - KEPT_RESULTS)?.seq ?? 0;
  if (upToSeq <= prunedUpTo) return null;
  return { upToSeq, saved: totalTokens(messages) - totalTokens(pruneResults(messages, upToSeq)) };
}
