import type { UploadedFile } from "../../body.ts";
import { badRequest, type FieldError, invalidForm, Refusal, tooLong } from "../refusal.ts";
import { type APIAttachment, type APIEmbed, type APIMessage, FLAG } from "../wire-types.ts";
import type { World } from "../world.ts";
import { withComponentIds } from "./components.ts";
import type { MessageBody } from "./handler.ts";

/** Create Message: content up to 2000 characters, embeds up to 6000 together, ten files of up to 10 MiB. */
const CONTENT_LIMIT = 2000;
const EMBEDS_LIMIT = 6000;
const FILES_LIMIT = 10;
const FILE_BYTES = 10 * 1024 * 1024;

/** Characters as the platform counts them: code points. */
function lengthOf(text: string): number {
  return [...text].length;
}

function embedLength(embed: APIEmbed): number {
  const fields = (embed.fields ?? []).flatMap((field) => [field.name, field.value]);
  const texts = [embed.title, embed.description, embed.footer?.text, embed.author?.name, ...fields];
  return texts.reduce((sum, text) => sum + lengthOf(text ?? ""), 0);
}

/** The limits of a message's text and embeds. */
export function checkLimits(body: MessageBody): void {
  const errors: FieldError[] = [];
  if (lengthOf(body.content ?? "") > CONTENT_LIMIT) throw tooLong(["content"], CONTENT_LIMIT);
  const embeds = (body.embeds ?? []).reduce((sum, embed) => sum + embedLength(embed), 0);
  if (embeds > EMBEDS_LIMIT) {
    errors.push({
      path: ["embeds"],
      code: "MAX_EMBED_SIZE_EXCEEDED",
      message: `Embed size exceeds maximum size of ${EMBEDS_LIMIT}`,
    });
  }
  if (((body.flags ?? 0) & FLAG.componentsV2) !== 0 && (body.content ?? "") !== "") {
    errors.push({
      path: ["content"],
      code: "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
      message: "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
    });
  }
  if (errors.length > 0) throw invalidForm(...errors);
}

function checkFiles(files: ReadonlyMap<number, UploadedFile>, kept: number): void {
  if (files.size + kept > FILES_LIMIT) throw tooLong(["attachments"], FILES_LIMIT);
  for (const file of files.values()) {
    if (file.bytes.length > FILE_BYTES) throw new Refusal(413, 40005, "Request entity too large");
  }
}

/** Stores a file and gives the attachment that shows it. */
export function attach(
  world: World,
  channelId: string,
  file: { name: string; mimeType: string; bytes: Uint8Array },
  description: string | null = null,
): APIAttachment {
  const stored = world.addFile(channelId, file.name, file.mimeType, file.bytes);
  const url = `${world.origin}${stored.path.split("/").map(encodeURIComponent).join("/")}`;
  return {
    id: stored.id,
    filename: stored.name,
    size: stored.bytes.length,
    url,
    proxy_url: url,
    content_type: stored.mimeType,
    ...(description === null ? {} : { description }),
  };
}

/**
 * The attachments of a message: new files in the order of their numbers (described by `attachments` with the same
 * number as id), and of those before the ones `attachments` names by id. Refuses ids that are neither.
 */
export function attachmentsOf(
  world: World,
  channelId: string,
  written: { body: MessageBody; files: ReadonlyMap<number, UploadedFile> },
  before: readonly APIAttachment[] = [],
): APIAttachment[] {
  const { body, files } = written;
  const listed = body.attachments;
  const kept = listed === undefined || listed === null ? [...before] : [];
  const described = new Map<number, { filename?: string | null; description?: string | null }>();
  for (const [index, entry] of (listed ?? []).entries()) {
    const old = before.find((attachment) => attachment.id === String(entry.id));
    if (old !== undefined) kept.push(old);
    else if (files.has(Number(entry.id))) described.set(Number(entry.id), entry);
    else {
      throw invalidForm({
        path: ["attachments", index],
        code: "MESSAGE_ATTACHMENT_NOT_FOUND",
        message: `Attachment data for ${entry.id} was not found`,
      });
    }
  }
  checkFiles(files, kept.length);
  const added = [...files]
    .sort(([a], [b]) => a - b)
    .map(([number, file]) => {
      const about = described.get(number);
      return attach(world, channelId, { ...file, name: about?.filename ?? file.name }, about?.description ?? null);
    });
  return [...kept, ...added];
}

/** The content fields of a new message. Refuses an empty one. */
export function newContent(
  world: World,
  channelId: string,
  written: { body: MessageBody; files: ReadonlyMap<number, UploadedFile> },
): Pick<APIMessage, "content" | "embeds" | "components" | "attachments"> {
  const { body } = written;
  checkLimits(body);
  const content = trimmed(body.content ?? "");
  const attachments = attachmentsOf(world, channelId, written);
  const embeds = (body.embeds ?? []).map((embed) => ({ type: "rich", ...embed }) as APIEmbed);
  const components = withComponentIds(body.components ?? []);
  const nothing = content === "" && embeds.length + components.length + attachments.length === 0;
  if (nothing && (body.sticker_ids ?? []).length === 0 && (body.poll ?? null) === null) {
    throw badRequest(50006, "Cannot send an empty message");
  }
  return { content, embeds, components, attachments };
}

/** The platform strips white space around a text. */
export function trimmed(content: string): string {
  return content.trim();
}
