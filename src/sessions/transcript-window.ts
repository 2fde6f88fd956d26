import type { StoredAttachment, TranscriptMessage } from "../core/message/transcript.ts";
import type { ModelMessage, ModelPart } from "../core/model.ts";
import { messageTokens } from "./context-size.ts";

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

/** Reads an attachment's bytes, or null when they are gone. */
export type ReadAttachment = (attachment: StoredAttachment) => Promise<Uint8Array | null>;

/**
 * A transcript as a model takes it: images for models that see, one line of text for those that do not (IN-12); a call
 * without a result, which no provider accepts, gets one that says `interrupted` (TN-2).
 */
export async function toModelMessages(
  messages: readonly WindowMessage[],
  options: { readonly images: boolean; readonly read: ReadAttachment },
): Promise<readonly ModelMessage[]> {
  const made: ModelMessage[] = [];
  let open = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "tool") {
      made.push(...answers(open));
      open = new Map();
    }
    const parts: ModelPart[] = [];
    for (const part of message.parts) {
      if (part.type === "tool_call") open.set(part.callId, part.name);
      if (part.type === "tool_result") open.delete(part.callId);
      parts.push(part.type === "attachment" ? await attachmentPart(part.attachment, options) : part);
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

async function attachmentPart(
  attachment: StoredAttachment,
  { images, read }: { readonly images: boolean; readonly read: ReadAttachment },
): Promise<ModelPart> {
  const described: ModelPart = {
    type: "text",
    text: `[Attachment ${attachment.name}, ${attachment.mime}, ${attachment.bytes} bytes]`,
  };
  if (!images || !attachment.mime.startsWith("image/")) return described;
  const bytes = await read(attachment);
  return bytes === null ? described : { type: "image", mime: attachment.mime, bytes };
}
