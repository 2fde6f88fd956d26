import {
  COMPACTION,
  type MessagePart,
  type StoredAttachment,
  type TranscriptMessage,
} from "../core/message/transcript.ts";
import type { ModelMessage, ModelPart, ModelRef } from "../core/model.ts";
import { resolveModel } from "../core/models.ts";
import type { Session } from "../core/session/session.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { cutMiddle, utf8Length } from "../core/text/cut.ts";
import { attachmentTexts } from "../core/texts/agent/attachments.ts";
import { summaryTexts } from "../core/texts/agent/prompt.ts";
import { MAX_SHOWN_BYTES, type ReadAttachment, shownBytes } from "./file-content.ts";

/** Rows read for a context; older ones are out of every usual window. */
export const WINDOW_ROWS = 400;
export type WindowMessage = Pick<TranscriptMessage, "role" | "parts">;

/**
 * The newest messages that fit into `maxTokens`, beginning with a user's message, so that a tool call never loses its
 * result nor a result its call (TN-12). The last user message and what follows always stays. `goesOn`: a summary stands before
 * them, so that all of them may also begin in the middle of a turn.
 */
export function fitWindow<M extends WindowMessage>(
  messages: readonly M[],
  maxTokens: number,
  { goesOn = false }: { readonly goesOn?: boolean } = {},
): readonly M[] {
  let room = maxTokens;
  let start = messages.length;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined) break;
    room -= messageTokens(message);
    if (room < 0 && start < messages.length) break;
    if (message.role === "user") start = at;
  }
  const whole = start === messages.length || (goesOn && room >= 0);
  return messages.slice(whole ? 0 : start);
}

/**
 * A transcript as a model takes it: the content of text files, images for models that see, one line for what cannot be read
 * (IN-12, FC-202). `fileBytes` bounds the text of one message's files. A call without a result, which no provider accepts,
 * gets one that says `interrupted` (TN-2).
 */
export async function toModelMessages(
  messages: readonly WindowMessage[],
  options: { readonly images: boolean; readonly fileBytes: number; readonly read: ReadAttachment },
): Promise<readonly ModelMessage[]> {
  const made: ModelMessage[] = [];
  let open = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "tool") {
      made.push(...answers(open));
      open = new Map();
    }
    const parts: ModelPart[] = [];
    let room = Math.min(options.fileBytes, MAX_SHOWN_BYTES);
    for (const part of message.parts) {
      if (part.type === "tool_call") open.set(part.callId, part.name);
      if (part.type === "tool_result") open.delete(part.callId);
      if (part.type !== "attachment") parts.push(part);
      else {
        const { part: made, used } = await attachmentPart(part.attachment, { ...options, room });
        parts.push(made);
        room -= used;
      }
    }
    made.push({ role: message.role, parts });
  }
  return [...made, ...answers(open)];
}

function answers(open: ReadonlyMap<string, string>): readonly ModelMessage[] {
  return [...open].map(([callId, name]) => ({
    role: "tool",
    parts: [{ type: "tool_result", callId, name, result: { status: "interrupted" }, isError: true }],
  }));
}

/** Less than this of a file says nothing. */
const LEAST_SHOWN_BYTES = 200;

async function attachmentPart(
  attachment: StoredAttachment,
  { images, room, read }: { readonly images: boolean; readonly room: number; readonly read: ReadAttachment },
): Promise<{ readonly part: ModelPart; readonly used: number }> {
  const { name, mime, bytes } = attachment;
  const content = await read(attachment);
  if (content.kind === "picture" && images) return { part: { type: "image", mime, bytes: content.bytes }, used: 0 };
  const words = (text: string, used = 0) => ({ part: { type: "text", text } as const, used });
  const unreadable = (reason: string) => words(attachmentTexts.unreadable(name, mime, bytes, reason));
  if (content.kind === "picture") return unreadable(attachmentTexts.pictureUnseen);
  if (content.kind === "unreadable") return unreadable(content.reason);
  if (room < LEAST_SHOWN_BYTES) return unreadable(attachmentTexts.noRoom);
  const { text } = cutMiddle(content.text, room, content.skipped);
  return words(attachmentTexts.content(name, mime, bytes, text), utf8Length(text));
}

/** What one image costs a model, in tokens; most vendors count about so much. A file costs this or its text. */
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
      return Math.max(ATTACHMENT_TOKENS, shownBytes(part.attachment) / ASCII_PER_TOKEN);
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
  const shown = summaryTexts.pruned(text.slice(0, HEAD).toWellFormed(), left, text.slice(-TAIL).toWellFormed());
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

type Row = Pick<TranscriptMessage, "role" | "parts" | "provenance">;

/** The entry that replaces what was summarised before (TN-12). */
export function isSummary({ provenance }: Pick<TranscriptMessage, "provenance">): boolean {
  return provenance.kind === "system" && provenance.source === COMPACTION;
}

/**
 * Where a context is cut in two (TN-12): the index of the first message that stays; null: there is nothing worth summarising.
 * At most so many tokens and rows stay, and never less than the newest exchange. A cut lies before a person's or another input's message,
 * or, when a single turn is too long, before one of its model steps: a call is never parted from its result.
 */
export function compactionCut(
  messages: readonly Row[],
  keep: { readonly tokens: number; readonly rows: number },
): number | null {
  const first = messages.findIndex((message) => !isSummary(message)) + 1;
  let kept = 0;
  let atInput: number | null = null;
  let atStep: number | null = null;
  for (let at = messages.length - 1; at >= first; at -= 1) {
    const message = messages[at];
    if (message === undefined) break;
    kept += messageTokens(message);
    const fits = kept <= keep.tokens && messages.length - at <= keep.rows;
    if (message.role === "user" && (fits || atInput === null)) atInput = at;
    if (message.role === "assistant" && (fits || atStep === null)) atStep = at;
    if (!fits && atInput !== null) break;
  }
  const isShort = (at: number): boolean =>
    totalTokens(messages.slice(at)) <= 2 * keep.tokens && messages.length - at <= 2 * keep.rows;
  if (atInput !== null && (isShort(atInput) || atStep === null)) return atInput;
  return atStep ?? atInput;
}

/** For `/compact`: everything before the newest input is summarised; null: nothing came before it. */
export function wholeCut(messages: readonly Row[]): number | null {
  const newest = messages.findLastIndex((message) => message.role === "user");
  const older = messages.slice(0, newest).filter((message) => !isSummary(message));
  return newest > 0 && older.length > 0 ? newest : null;
}

export type ModelReason = "override" | "agent" | "default";

/** The model of a session's next turn, and why (ST-30): its override while that still names a model, else its agent's. */
export function sessionModelOf(
  settings: Settings,
  agent: Pick<AgentSettings, "model" | "ownModel">,
  session: Pick<Session, "modelOverride">,
): { readonly ref: ModelRef; readonly because: ModelReason } {
  const resolved = session.modelOverride === null ? null : resolveModel(settings, session.modelOverride);
  if (resolved?.known === true) return { ref: resolved.ref, because: "override" };
  return { ref: agent.model, because: agent.ownModel ? "agent" : "default" };
}

/** The same, where only the model counts. */
export function sessionModel(
  settings: Settings,
  agent: Pick<AgentSettings, "model" | "ownModel">,
  session: Pick<Session, "modelOverride">,
): ModelRef {
  return sessionModelOf(settings, agent, session).ref;
}
