import { type APIMessage, Routes } from "discord-api-types/v10";
import type { FetchedFile } from "../../../src/channel/capabilities.ts";
import { guardedFetch } from "../../../src/channel/guarded-fetch.ts";
import type { Delivery, DeliveryContent, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import type { InboundAttachment } from "../../../src/core/message/inbound-event.ts";
import { fileTexts } from "../../../src/core/texts/platforms/accounts.ts";
import { isSnowflake, targetOf } from "../address.ts";
import { readRefusal } from "../errors.ts";
import { escapeText } from "../render.ts";
import type { OutboundParts } from "./send-once.ts";
import { allowedMentions, findEarlier, nonceOf, replyReference } from "./send-once.ts";

const LONGEST_CAPTION = 2_000;

type FileContent = Extract<DeliveryContent, { kind: "file" }>;

/** Sends a stored file. Rejects as the REST call does; a refused quote leaves it without one. */
export async function sendFile(
  parts: OutboundParts,
  delivery: Delivery & { readonly content: FileContent },
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { content, key } = delivery;
  const { file, replyTo } = content;
  const bytes = await parts.readFile(file.sha256);
  if (bytes === null) return failed(fileTexts.bytesGone(file.name));
  const channelId = targetOf(delivery.route);
  const nonce = nonceOf(key);
  const text = captionOf(content.caption);
  // Without words only the nonce can find it again: any other message without text might belong to another delivery.
  const earlier = text === "" ? null : await findEarlier(parts, { channelId, delivery, nonce, text }, signal);
  if (earlier !== null) return { outcome: "sent", messageIds: [earlier.id] };
  const post = async (quoted: string | null): Promise<SendOutcome> => {
    const sent = (await parts.rest.post(Routes.channelMessages(channelId), {
      files: [{ name: safeName(file.name), data: Buffer.from(bytes), contentType: file.mime }],
      body: {
        ...(text === "" ? {} : { content: text }),
        nonce,
        enforce_nonce: true,
        allowed_mentions: allowedMentions(content.caption),
        ...replyReference(quoted),
      },
      signal,
    })) as APIMessage;
    return { outcome: "sent", messageIds: [sent.id] };
  };
  if (replyTo === null || !isSnowflake(replyTo)) return await post(null);
  try {
    return await post(replyTo);
  } catch (error) {
    if (readRefusal(error).kind !== "reply_refused") throw error;
    return await post(null);
  }
}

/** A caption is plain text; one that is too long is cut. */
function captionOf(caption: string): string {
  const escaped = escapeText(caption, true);
  if (escaped.length <= LONGEST_CAPTION) return escaped;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(caption)) {
    if (escapeText(cut + segment, true).length >= LONGEST_CAPTION) break;
    cut += segment;
  }
  return `${escapeText(cut, true)}…`;
}

function safeName(name: string): string {
  return name.replaceAll(/[\r\n"\\/]/g, "_");
}

function failed(reason: string): SendOutcome {
  return { outcome: "failed", reason, gone: false, movedTo: null };
}

/** Fetches an attachment of an inbound message (IN-12). Its address is signed; no credentials go with it. */
export async function fetchFile(
  attachment: InboundAttachment,
  limits: { readonly maxBytes: number; readonly signal: AbortSignal; readonly trustedOrigins: readonly string[] },
): Promise<FetchedFile> {
  if (attachment.bytes !== null && attachment.bytes > limits.maxBytes)
    return { ok: false, reason: fileTexts.tooLarge(attachment.bytes, limits.maxBytes) };
  const fetched = await guardedFetch(attachment.ref, { ...limits, credentials: {} });
  if (!fetched.ok) return fetched;
  return { ...fetched, mime: attachment.mime ?? fetched.mime, name: attachment.name };
}
