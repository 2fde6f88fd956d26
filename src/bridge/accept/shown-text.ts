import type { InboundAttachment, InboundEvent } from "../../core/message/inbound-event.ts";
import { cutBytes } from "../../core/text/cut.ts";
import { promptName } from "../../core/text/prompt-words.ts";
import { quoteInContext } from "../../core/texts/agent/prompt.ts";
import { notices } from "../../core/texts/chat/notices.ts";

/** One inbound message is cut here, in bytes (TN-17). */
const MAX_TEXT_BYTES = 64 * 1024;

export function limitedText(text: string): string {
  return cutBytes(text, MAX_TEXT_BYTES, notices.cut).text;
}

/** A message of which only the words are shown, with the names of its files. */
export function wordsWithFiles(text: string, attachments: readonly InboundAttachment[]): string {
  const names = attachments.map((attachment) => promptName(attachment.name)).join(", ");
  return [text, names === "" ? "" : `(sent ${names})`].filter((part) => part.trim() !== "").join("\n");
}

/** What is shown of a message that is context of another one (IN-7): its text, what it quotes, and that files were there. */
export function contextText({
  text,
  quotes = [],
  attachments,
}: Pick<InboundEvent, "text" | "quotes" | "attachments">): string {
  const parts = [...quotes.map(quoteInContext), wordsWithFiles(text, attachments)];
  return limitedText(parts.filter((part) => part.trim() !== "").join("\n"));
}
