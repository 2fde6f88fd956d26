import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";
import type { SlackFile, SlackMessage } from "./event-shape.ts";

/** Slack no longer has the file, or never shows it to bots. */
const GONE = ["tombstone", "hidden_by_limit"];

/** The files of a message, each with its id: only the platform's own record says where the bytes are now (FC-122). */
export function attachmentsOf(message: SlackMessage): readonly InboundAttachment[] {
  return (message.files ?? []).filter((file) => !GONE.includes(file.mode ?? "")).map(attachmentOf);
}

function attachmentOf(file: SlackFile): InboundAttachment {
  const mime = file.mimetype ?? null;
  return {
    ref: file.id,
    name: file.name ?? file.title ?? file.id,
    mime,
    bytes: file.size ?? null,
    kind: kindOf(mime ?? "", file.subtype ?? ""),
  };
}

function kindOf(mime: string, subtype: string): InboundAttachment["kind"] {
  if (subtype === "slack_audio") return "voice";
  if (mime.startsWith("image/")) return "image";
  if (mime.startsWith("video/") || subtype === "slack_video") return "video";
  return mime.startsWith("audio/") ? "audio" : "file";
}

/** The words of messages that were shared into this one ("Share message"), which are not the sender's own. */
export function sharedTexts(message: SlackMessage): readonly string[] {
  return (message.attachments ?? []).flatMap((one) =>
    one.is_share === true && one.text !== undefined && one.text !== "" ? [one.text] : [],
  );
}
