import type { APIAttachment, APIEmbed, APIMessage } from "discord-api-types/v10";
import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";

/** Where the platform serves stickers, by the number of their format. */
const STICKER_FILES: ReadonlyMap<number, readonly [string, string]> = new Map([
  [1, ["png", "image/png"]],
  [2, ["png", "image/png"]],
  [3, ["json", "application/json"]],
  [4, ["gif", "image/gif"]],
]);
const VOICE_MESSAGE = 1 << 13;
const FORWARD = 1;

/** What a message or the snapshot in a forward carries. */
type Content = Pick<APIMessage, "content" | "attachments" | "embeds"> &
  Partial<Pick<APIMessage, "flags" | "sticker_items" | "poll">>;

/** The content people see: a forward's is that of the message it holds. */
export function contentOf(message: APIMessage): { readonly content: Content; readonly forwarded: boolean } {
  const [snapshot] = message.message_snapshots ?? [];
  if (message.message_reference?.type !== FORWARD || snapshot === undefined)
    return { content: message, forwarded: false };
  return { content: { ...snapshot.message, attachments: snapshot.message.attachments ?? [] }, forwarded: true };
}

export function attachmentsOf(content: Content): readonly InboundAttachment[] {
  const isVoice = ((content.flags ?? 0) & VOICE_MESSAGE) !== 0;
  const files = content.attachments.map((file) => attachment(file, isVoice));
  const stickers = (content.sticker_items ?? []).map(({ id, name, format_type }): InboundAttachment => {
    const [extension, mime] = STICKER_FILES.get(format_type) ?? ["png", "image/png"];
    const ref = `https://media.discordapp.net/stickers/${id}.${extension}`;
    return { ref, name: `${name}.${extension}`, mime, bytes: null, kind: "sticker" };
  });
  return [...files, ...stickers];
}

function attachment(file: APIAttachment, isVoice: boolean): InboundAttachment {
  const mime = file.content_type?.split(";")[0]?.trim() ?? null;
  return { ref: file.url, name: file.filename, mime, bytes: file.size, kind: isVoice ? "voice" : kindOf(mime) };
}

function kindOf(mime: string | null): InboundAttachment["kind"] {
  const [family] = (mime ?? "").split("/");
  return family === "image" || family === "video" || family === "audio" ? family : "file";
}

/**
 * The words of a message. One that has none (an alert of another program, a poll) is described, so that an agent sees what
 * people see. null: nothing a person would call content.
 */
export function wordsOf({ content, embeds, poll }: Content): string | null {
  if (content !== "") return content;
  if (poll !== undefined) {
    const answers = poll.answers.map((answer) => `- ${answer.poll_media.text ?? ""}`).join("\n");
    return `Poll: ${poll.question.text ?? ""}\n${answers}`;
  }
  const cards = embeds.map(cardText).filter((text) => text !== "");
  return cards.length === 0 ? null : cards.join("\n\n");
}

function cardText({ title, description, fields = [] }: APIEmbed): string {
  return [title, description, ...fields.map(({ name, value }) => `${name}: ${value}`)]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}

/** What a quoted message says. */
export function quotableText(message: APIMessage): string {
  const { content } = contentOf(message);
  return (
    wordsOf(content) ??
    attachmentsOf(content)
      .map((file) => file.name)
      .join(", ")
  );
}
