import { checkBlocks, fallbackText, withIds } from "../blocks.ts";
import type { Metadata, SlackMessage } from "../records.ts";
import { refused } from "../refusal.ts";
import type { World } from "../world.ts";

/** Longest text of a message. */
const TEXT_LENGTH = 40_000;
/** Longest text chat.update takes. */
const UPDATE_TEXT_LENGTH = 4000;
const MARKDOWN_LENGTH = 12_000;
const MOST_ATTACHMENTS = 100;
/** Bytes of an event payload's JSON. */
const METADATA_SIZE = 16 * 1024;

interface Given {
  text?: string | undefined;
  markdown_text?: string | undefined;
  blocks?: readonly unknown[] | undefined;
  attachments?: readonly unknown[] | undefined;
  metadata?: unknown;
}

/** Refuses metadata without its two fields or over its size. */
export function checkedMetadata(given: unknown): Metadata | undefined {
  if (given === undefined) return undefined;
  const metadata = given as Partial<Metadata>;
  if (typeof metadata.event_type !== "string" || typeof metadata.event_payload !== "object") {
    throw refused("invalid_metadata_format");
  }
  if (!/^[A-Za-z0-9_.-]{1,255}$/.test(metadata.event_type)) throw refused("invalid_metadata_schema");
  if (Buffer.byteLength(JSON.stringify(metadata.event_payload)) > METADATA_SIZE) throw refused("metadata_too_large");
  return { event_type: metadata.event_type, event_payload: metadata.event_payload };
}

/** What a message shows, from the arguments of the posting methods. Refuses what is missing, too long or at odds. */
export function messageContent(
  world: World,
  given: Given,
  purpose: "post" | "update" = "post",
): Partial<SlackMessage> & { text: string } {
  const { markdown_text: markdown, attachments = [] } = given;
  if (markdown !== undefined && (given.text !== undefined || given.blocks !== undefined)) {
    throw refused("markdown_text_conflict");
  }
  if ((markdown ?? "").length > MARKDOWN_LENGTH) throw refused("msg_too_long");
  const blocks = markdown === undefined ? (given.blocks ?? []) : [{ type: "markdown", text: markdown }];
  const text = given.text ?? "";
  if (text.trim() === "" && blocks.length === 0 && attachments.length === 0) throw refused("no_text");
  if (text.length > (purpose === "post" ? TEXT_LENGTH : UPDATE_TEXT_LENGTH)) throw refused("msg_too_long");
  if (attachments.length > MOST_ATTACHMENTS) throw refused("too_many_attachments");
  checkBlocks(blocks);
  const metadata = checkedMetadata(given.metadata);
  return {
    text: text === "" ? fallbackText(blocks) : text,
    ...(blocks.length === 0 ? {} : { blocks: withIds(blocks, String(world.count("client"))) }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map((a, i) => ({ id: i + 1, ...(a as object) })) }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
