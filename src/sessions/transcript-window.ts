import type { ModelMessage, ModelPart } from "../core/model.ts";
import type { MessagePart, StoredAttachment, TranscriptMessage } from "../core/transcript.ts";

/** Rows read for a context; older ones are out of every usual window. */
export const WINDOW_ROWS = 400;
/** A cautious rule of thumb: most tokenizers make fewer tokens than this of ordinary text. */
const CHARACTERS_PER_TOKEN = 3;

export type WindowMessage = Pick<TranscriptMessage, "role" | "parts">;

/**
 * The newest messages that fit into `maxTokens`, beginning with a user's message, so that a tool call never loses its
 * result nor a result its call (TN-12). The last user message and what follows always stays.
 */
export function fitWindow<M extends WindowMessage>(messages: readonly M[], maxTokens: number): readonly M[] {
  let room = maxTokens * CHARACTERS_PER_TOKEN;
  let start = messages.length;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined) break;
    room -= sizeOf(message);
    if (room < 0 && start < messages.length) break;
    if (message.role === "user") start = at;
  }
  return messages.slice(start === messages.length ? 0 : start);
}

function sizeOf(message: WindowMessage): number {
  return message.parts.reduce((sum, part) => sum + partSize(part), 16);
}

function partSize(part: MessagePart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "tool_call":
      return JSON.stringify(part.args).length + part.name.length;
    case "tool_result":
      return JSON.stringify(part.result).length;
    case "attachment":
      return 3_000;
  }
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
