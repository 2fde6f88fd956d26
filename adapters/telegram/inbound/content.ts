import type { Message, PhotoSize } from "grammy/types";
import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";

interface File {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

/** The files of a message. An animation is also sent as a document by the platform; it counts once. */
export function attachmentsOf(message: Message): readonly InboundAttachment[] {
  const { photo, live_photo: live, animation, document, video, video_note: note, audio, voice, sticker } = message;
  const found: InboundAttachment[] = [];
  if (photo !== undefined) found.push(...photoOf(photo));
  if (live !== undefined)
    found.push(attachment(live, "video", { fallback: "live-photo", extension: "mp4", mime: "video/mp4" }));
  if (animation !== undefined)
    found.push(attachment(animation, "video", { fallback: "animation", extension: "mp4", mime: "video/mp4" }));
  else if (document !== undefined) {
    const kind = document.mime_type?.startsWith("image/") === true ? "image" : "file";
    found.push(attachment(document, kind, { fallback: "document", extension: "bin", mime: null }));
  }
  if (video !== undefined)
    found.push(attachment(video, "video", { fallback: "video", extension: "mp4", mime: "video/mp4" }));
  if (note !== undefined)
    found.push(attachment(note, "video", { fallback: "video-note", extension: "mp4", mime: "video/mp4" }));
  if (audio !== undefined)
    found.push(attachment(audio, "audio", { fallback: "audio", extension: "mp3", mime: "audio/mpeg" }));
  if (voice !== undefined)
    found.push(attachment(voice, "voice", { fallback: "voice", extension: "ogg", mime: "audio/ogg" }));
  if (sticker !== undefined) {
    const [extension, mime] = sticker.is_animated
      ? ["tgs", "application/x-tgsticker"]
      : sticker.is_video
        ? ["webm", "video/webm"]
        : ["webp", "image/webp"];
    const fallback = sticker.emoji === undefined ? "sticker" : `sticker ${sticker.emoji}`;
    found.push(attachment(sticker, "sticker", { fallback, extension, mime }));
  }
  for (const paid of message.paid_media?.paid_media ?? []) {
    if (paid.type === "photo") found.push(...photoOf(paid.photo));
  }
  return found;
}

function photoOf(sizes: readonly PhotoSize[]): InboundAttachment[] {
  const area = (size: PhotoSize): number => size.width * size.height;
  const largest = [...sizes].sort((a, b) => area(b) - area(a))[0];
  return largest === undefined
    ? []
    : [attachment(largest, "image", { fallback: "photo", extension: "jpg", mime: "image/jpeg" })];
}

function attachment(
  file: File,
  kind: InboundAttachment["kind"],
  usual: { readonly fallback: string; readonly extension: string; readonly mime: string | null },
): InboundAttachment {
  return {
    ref: file.file_id,
    name: file.file_name ?? `${usual.fallback}.${usual.extension}`,
    mime: file.mime_type ?? usual.mime,
    bytes: file.file_size ?? null,
    kind,
  };
}

/**
 * Words for content that is neither text nor file, so that an agent sees what a person sent. Begins with its kind, so
 * nothing inside it can be read as a command. null: nothing a person would call content (a service message).
 */
export function describeContent(message: Message): string | null {
  const { venue, location, contact, poll, dice, checklist, story, game, rich_message: rich } = message;
  if (venue !== undefined) {
    return `Venue: ${venue.title}, ${venue.address} (${venue.location.latitude}, ${venue.location.longitude})`;
  }
  if (location !== undefined) return `Location: ${location.latitude}, ${location.longitude}`;
  if (contact !== undefined) {
    return `Contact: ${[contact.first_name, contact.last_name, contact.phone_number].filter((part) => part !== undefined).join(" ")}`;
  }
  if (poll !== undefined)
    return `Poll: ${poll.question}\n${poll.options.map((option) => `- ${option.text}`).join("\n")}`;
  if (dice !== undefined) return `Dice: ${dice.emoji} ${dice.value}`;
  if (checklist !== undefined)
    return `Checklist: ${checklist.title}\n${checklist.tasks.map((task) => `- ${task.text}`).join("\n")}`;
  if (game !== undefined) return `Game: ${game.title}`;
  if (story !== undefined) return "Story: bots cannot see its content";
  if (rich !== undefined) return `Rich message: ${wordsIn(rich.blocks).join(" ")}`;
  return null;
}

/** Every text inside a rich message's tree of blocks, in reading order. */
function wordsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "text" || (typeof inner === "object" && inner !== null) ? wordsIn(inner) : [],
  );
}

/** What a quoted message says. */
export function quotableText(message: Message): string {
  const written = message.text ?? message.caption ?? describeContent(message);
  if (written !== null && written !== "") return written;
  return attachmentsOf(message)
    .map((file) => file.name)
    .join(", ");
}
