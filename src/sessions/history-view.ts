import type { Json } from "../core/json.ts";
import { type MessagePart, type Provenance, type TranscriptMessage, textOf } from "../core/message/transcript.ts";
import { cutText } from "../core/text/cut.ts";
import { withoutEnvelope } from "../core/text/prompt-words.ts";
import type { Redacted } from "../core/text/redact.ts";
import { sanitise } from "../core/text/sanitise.ts";
import { summaryTexts } from "../core/texts/agent/prompt.ts";
import { historyTexts } from "../core/texts/agent/tools/sessions-history.ts";

/** ST-8: one text block, in UTF-16 units. */
export const MAX_BLOCK = 4_000;
export const OMITTED = historyTexts.omitted;
const CUT_MARK = "… [cut]";

/** A stored message as another session or a person may read it (ST-6 … ST-9). */
export type MessageView = {
  /** The store's sequence: orders all transcripts. */
  readonly seq: number;
  readonly role: TranscriptMessage["role"];
  readonly at: number;
  /** What it comes from: `human`, `inter_session`, `completion`, … (TN-14). */
  readonly provenance: Provenance["kind"];
  readonly text: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: string }[];
  readonly toolResults?: readonly { readonly name: string; readonly result: string }[];
};

export interface ViewFlags {
  readonly contentTruncated: boolean;
  readonly contentRedacted: boolean;
}

export interface ViewOptions {
  readonly includeTools: boolean;
  /** Masks credentials: known values first, then shapes (ST-7, FC-178). */
  readonly redact: (text: string) => Redacted;
  /** The longest text block, in UTF-16 units; default {@link MAX_BLOCK}. */
  readonly maxBlock?: number;
}

/**
 * One stored message for a reader outside its session; null: nothing of it is shown. Stored rows keep the true text;
 * reasoning and its signatures have no form here at all (ST-9).
 */
export function viewMessage(
  message: TranscriptMessage,
  { includeTools, redact, maxBlock = MAX_BLOCK }: ViewOptions,
): { readonly view: MessageView; readonly flags: ViewFlags } | null {
  if (message.role === "tool" && !includeTools) return null;
  let contentTruncated = false;
  let contentRedacted = false;
  const block = (text: string): string => {
    const masked = redact(text.includes("data:image/") ? text.replace(DATA_URL, "[image omitted]") : text);
    const cut = cutText(masked.text, maxBlock, CUT_MARK);
    contentTruncated ||= cut.truncated;
    contentRedacted ||= masked.redacted;
    return cut.text;
  };
  const text = whole(message)
    .flatMap((part) => textBlocks(part, message.role))
    .map(block)
    .join("\n\n")
    .trim();
  const toolCalls = includeTools ? shownCalls(message.parts, block) : [];
  const toolResults = includeTools ? resultsOf(message.parts, block) : [];
  if (text === "" && toolCalls.length === 0 && toolResults.length === 0) return null;
  const view: MessageView = {
    seq: message.seq,
    role: message.role,
    at: message.createdAt,
    provenance: message.provenance.kind,
    text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(toolResults.length === 0 ? {} : { toolResults }),
  };
  return { view, flags: { contentTruncated, contentRedacted } };
}

/** Markup that a model opened in one block and closed in another is seen only when they are read together (ST-6). */
function whole({ role, parts }: TranscriptMessage): readonly MessagePart[] {
  const texts = parts.filter((part) => part.type === "text");
  if (role !== "assistant" || texts.length < 2 || !texts.some((part) => sanitise(part.text).changed)) return parts;
  return [{ type: "text", text: textOf(texts) }, ...parts.filter((part) => part.type !== "text")];
}

/** Assistant text through the sanitiser; people's text as they wrote it. */
function textBlocks(part: MessagePart, role: TranscriptMessage["role"]): readonly string[] {
  switch (part.type) {
    case "text": {
      const text = role === "assistant" ? sanitise(part.text).text : part.text;
      return text.trim() === "" ? [] : [text];
    }
    case "attachment":
      return [summaryTexts.attachment(part.attachment.name, part.attachment.mime, part.attachment.bytes)];
    case "reasoning":
    case "tool_call":
    case "tool_result":
      return [];
  }
}

function shownCalls(parts: readonly MessagePart[], block: (text: string) => string) {
  return parts.flatMap((part) =>
    part.type === "tool_call" ? [{ name: part.name, args: block(jsonText(part.args)) }] : [],
  );
}

function resultsOf(parts: readonly MessagePart[], block: (text: string) => string) {
  return parts.flatMap((part) =>
    part.type === "tool_result" ? [{ name: part.name, result: block(jsonText(part.result)) }] : [],
  );
}

function jsonText(value: Json): string {
  const text = JSON.stringify(value);
  return text.length < 1_000 ? text : text.replace(DATA_URL, "[image omitted]").replace(BASE64_RUN, "[binary omitted]");
}

/** Inline images: data URLs anywhere, and in what tools take and give also bare base64 (ST-9). */
const DATA_URL = /data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=_-]*/g;
const BASE64_RUN = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{1000,}={0,2}/g;

/** A title or preview: the first line's worth of a visible message, at most 160 characters (ST-3). */
export function previewOf(message: TranscriptMessage, redact: ViewOptions["redact"]): string | null {
  const shown = viewMessage(message, { includeTools: false, redact });
  if (shown === null) return null;
  const line = withoutEnvelope(shown.view.text).replace(/\s+/g, " ").trim();
  return line === "" ? null : cutText(line, 160).text;
}
