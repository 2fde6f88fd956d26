import type { QuotedWords } from "../core/message/inbound-event.ts";
import type { EventPayload, InboxItem } from "../core/message/inbox-item.ts";
import { escapeMarkers } from "../core/text/markers.ts";
import { promptEntry, promptLine, promptName, promptQuote } from "../core/text/prompt-words.ts";
import { quoteMarks } from "../core/texts/agent/prompt.ts";
import { messageEnvelope } from "../core/texts/chat/notices.ts";

/** Longest quote shown, in UTF-16 units; the quoted message itself is in the transcript or on the platform. */
const MAX_QUOTE = 500;

/** A time as the agent's people read it. */
export type TimeText = (at: number) => string;

/**
 * What an agent reads of a person's message (IN-10): who wrote where and when, unaddressed messages before it, the quoted
 * one, forwarded words, the text, and which files could not be had (the others are parts of the message). Every part that comes from people
 * is escaped, so that none can imitate an envelope. A `plain` message has no head.
 */
export function eventText(item: Pick<InboxItem, "route">, payload: EventPayload, timeText: TimeText): string {
  const quotes = [...(payload.reply === null ? [] : [replyLine(payload.reply)]), ...quoteLines(payload.quotes ?? [])];
  const words = escapeMarkers(payload.text);
  const body = [
    ...quotes,
    // Without the empty line the sender's own `>` would read as part of the quote above it.
    quotes.length > 0 && /^\n*>/.test(words) ? `\n${words}` : words,
    ...payload.attachmentNotes.map((note) => messageEnvelope.attachment(promptLine(note))),
  ];
  const head = payload.plain ? [] : [contextLines(payload.context), headLine(item, payload, timeText)];
  return [...head, ...body].filter((line) => line !== null && line !== "").join("\n");
}

function headLine({ route }: Pick<InboxItem, "route">, payload: EventPayload, timeText: TimeText): string {
  const channel = route?.channel ?? "unknown";
  const sender = `${promptName(payload.senderName)} (${channel}:${promptName(payload.senderId)})`;
  const where = payload.conversationLabel === null ? channel : `${channel}, ${promptName(payload.conversationLabel)}`;
  return messageEnvelope.head(sender, where, timeText(payload.sentAt));
}

function contextLines(context: EventPayload["context"]): string | null {
  if (context.length === 0) return null;
  const lines = context.map(({ senderName, text }) => promptEntry(senderName, text));
  return [messageEnvelope.context, ...lines].join("\n");
}

function replyLine({ senderName, text }: NonNullable<EventPayload["reply"]>): string {
  const short = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  return `${messageEnvelope.replyingTo(promptName(senderName))}\n${promptQuote(short)}`;
}

/** FC-208: somebody else's words in a message, whole, each with who wrote it and where. */
function quoteLines(quotes: readonly QuotedWords[]): readonly string[] {
  return quotes.map(({ kind, from, origin, text }) => {
    const mark = quoteMarks[kind](from === "" ? "" : promptName(from), origin === null ? null : promptName(origin));
    return text === "" ? mark : `${mark}\n${promptQuote(text)}`;
  });
}
