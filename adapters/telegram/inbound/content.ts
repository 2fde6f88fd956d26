import type { Message, MessageEntity, MessageOrigin, PhotoSize, Update } from "grammy/types";
import { z } from "zod";
import type { InboundAttachment, QuotedWords } from "../../../src/core/message/inbound-event.ts";
import { telegramContent } from "../../../src/core/texts/platforms/content.ts";
import { chatSender, linkOf, personName } from "../address.ts";
import { type CutRange, toMarkdown } from "./formatted.ts";

interface File {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

const VIDEO = { fallback: "video", extension: "mp4", mime: "video/mp4" } as const;

/** Where the files of a message are, or of one in another chat that is replied to. */
type Media = Pick<Message, "photo" | "live_photo" | "animation" | "document" | "video" | "video_note"> &
  Pick<Message, "audio" | "voice" | "sticker" | "paid_media">;

/** The files of a message. An animation is also sent as a document by the platform; it counts once. */
export function attachmentsOf(message: Media): readonly InboundAttachment[] {
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
  if (video !== undefined) found.push(attachment(video, "video", VIDEO));
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
    if (paid.type === "video") found.push(attachment(paid.video, "video", VIDEO));
    if (paid.type === "live_photo") found.push(attachment(paid.live_photo, "video", VIDEO));
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

/** The words a person wrote in a message, as Markdown; null: none. */
export function writtenWords(message: Message): string | null {
  const { text, entities = [], caption, caption_entities: captionEntities = [] } = message;
  if (text !== undefined) return toMarkdown(text, entities);
  return caption === undefined ? null : toMarkdown(caption, captionEntities);
}

/**
 * Words for content that is neither text nor file, so that an agent sees what a person sent (FC-204). Begins with its kind, so
 * nothing inside it can be read as a command. null: nothing a person would call content (a service message).
 */
export function describeContent(message: Message): string | null {
  const { venue, location, contact, poll, dice, checklist, story, game, rich_message: rich } = message;
  const { invoice, giveaway, giveaway_winners: winners, gift, unique_gift: unique, paid_media: paid } = message;
  const { web_app_data: app, checklist_tasks_done: done, checklist_tasks_added: added } = message;
  const words = telegramContent;
  if (venue !== undefined) return words.venue(venue.title, venue.address, venue.location);
  if (location !== undefined) return words.location(location, location.live_period !== undefined);
  if (contact !== undefined) {
    const { first_name: first, last_name: last, phone_number: phone } = contact;
    return words.contact([first, last, phone].filter((part) => part !== undefined).join(" "));
  }
  if (poll !== undefined) {
    const options = poll.options.map((option) => option.text);
    return words.poll(poll.question, options, poll.description ?? null);
  }
  if (dice !== undefined) return words.dice(dice.emoji, dice.value);
  if (checklist !== undefined) {
    const tasks = checklist.tasks.map(({ text, completion_date: at }) => ({ text, done: (at ?? 0) > 0 }));
    return words.checklist(checklist.title, tasks);
  }
  if (done !== undefined) {
    const names = (ids: readonly number[] = []): string[] => ids.map((id) => taskName(done.checklist_message, id));
    return words.tasksDone(names(done.marked_as_done_task_ids), names(done.marked_as_not_done_task_ids));
  }
  if (added !== undefined) return words.tasksAdded(added.tasks.map(({ text }) => text));
  if (game !== undefined) return words.game(game.title, game.description, game.text ?? null);
  if (story !== undefined) return words.story;
  if (invoice !== undefined) return words.invoice(invoice.title, invoice.description);
  if (giveaway !== undefined) return words.giveaway(giveaway.winner_count, giveaway.prize_description ?? null);
  if (winners !== undefined) return words.giveawayWinners(winners.winners.map(personName));
  if (gift !== undefined) return words.gift(gift.gift.sticker.emoji ?? "", gift.text ?? null);
  if (unique !== undefined) return words.gift(`${unique.gift.base_name} #${unique.gift.number}`, unique.text ?? null);
  if (app !== undefined) return words.webApp(app.button_text, app.data);
  if (rich !== undefined) return words.rich(wordsIn(rich.blocks).join(" "));
  return paid === undefined ? null : words.paidMedia(paid.star_count);
}

/** A checklist names its tasks by number; the names are in the message that holds it, when it is still there. */
function taskName(message: Message | undefined, id: number): string {
  return message?.checklist?.tasks.find((task) => task.id === id)?.text ?? `#${id}`;
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

/** All words of a message, for a quote; its files by name where it has no others. */
export function quotableText(message: Message): string {
  const words = [writtenWords(message), describeContent(message)].filter((part) => part !== null && part !== "");
  if (words.length > 0) return words.join("\n");
  return attachmentsOf(message)
    .map((file) => file.name)
    .join(", ");
}

/**
 * What of a message is not its sender's own words (FC-208): a forward, or what another bot wrote for them. null: all of it is
 * the sender's own. A post of the linked channel is a forward to Telegram, but its sender is that channel.
 */
export function quoteOf(message: Message): QuotedWords | null {
  const { forward_origin: origin, via_bot: viaBot, is_automatic_forward: automatic } = message;
  const text = [writtenWords(message), describeContent(message)].filter((part) => part !== null).join("\n");
  if (origin !== undefined && automatic !== true) {
    return { kind: "forward", from: originName(origin), origin: originPlace(origin), text };
  }
  if (viaBot === undefined) return null;
  return { kind: "inline", from: viaBot.username ?? personName(viaBot), origin: null, text };
}

export function originName(origin: MessageOrigin): string {
  switch (origin.type) {
    case "user":
      return personName(origin.sender_user);
    case "hidden_user":
      return origin.sender_user_name;
    case "chat":
      return chatSender(origin.sender_chat, origin.author_signature).name;
    case "channel":
      return chatSender(origin.chat, origin.author_signature).name;
    default:
      return "";
  }
}

function originPlace(origin: MessageOrigin): string | null {
  return origin.type === "channel"
    ? linkOf({ chat: origin.chat, message_id: origin.message_id }, { kind: "none" })
    : null;
}

/** Safe integers only: a larger number was rounded when it was read, and may be another person's id. */
const id = z.int();
const chat = z.looseObject({ id, type: z.string() });
const person = z.looseObject({ id, first_name: z.string() });
const entities = z.array(z.looseObject({ type: z.string(), offset: z.int(), length: z.int() }));
const written = {
  message_id: id,
  date: z.int(),
  chat,
  from: person.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: entities.optional(),
  caption_entities: entities.optional(),
  message_thread_id: id.optional(),
  media_group_id: z.string().optional(),
  edit_date: z.int().optional(),
  migrate_to_chat_id: id.optional(),
  migrate_from_chat_id: id.optional(),
};
const message = z.looseObject({ ...written, reply_to_message: z.looseObject(written).optional() });
const callback = z.looseObject({
  id: z.string(),
  from: person,
  data: z.string().optional(),
  message: z.looseObject({ message_id: id, chat }).optional(),
});
const reaction = z.looseObject({ chat, message_id: id, date: z.int(), user: person.optional() });
const membership = z.looseObject({ chat, from: person, new_chat_member: z.looseObject({ status: z.string() }) });

const update = z.looseObject({
  message: message.optional(),
  edited_message: message.optional(),
  channel_post: message.optional(),
  edited_channel_post: message.optional(),
  callback_query: callback.optional(),
  message_reaction: reaction.optional(),
  my_chat_member: membership.optional(),
});

/**
 * Throws on an update whose identity, place, sender or text is not what the Bot API promises, naming the field: such an
 * update is poison (IN-3), and reading it all the same would make sessions for people and chats that do not exist.
 */
export function checkShape(given: Update): void {
  const parsed = update.safeParse(given);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new Error(`the update is malformed at ${issue?.path.join(".")}: ${issue?.message}`);
}

/** The text of a message as Markdown, without this bot's own mention, and whom it addresses. */
export interface AddressedText {
  readonly text: string;
  /** This bot is mentioned, or a command names it (`/status@thisbot`). */
  readonly bot: boolean;
  /** Another person is mentioned. */
  readonly others: boolean;
  /** A command names another bot (`/status@otherbot`). */
  readonly otherCommand: boolean;
}

/**
 * Reads mentions from the platform's entities only: an `@name` inside code or a link is none. Offsets of entities are UTF-16
 * units, as string indices are. Everything but the bot's own mention stays verbatim.
 */
export function readAddressed(
  text: string,
  entities: readonly MessageEntity[],
  bot: { readonly id: string; readonly username: string },
): AddressedText {
  const own = bot.username.toLowerCase();
  const cuts: CutRange[] = [];
  let others = false;
  let otherCommand = false;
  for (const entity of entities) {
    const { offset, length } = entity;
    const to = offset + length;
    const piece = text.slice(offset, to).toLowerCase();
    if (entity.type === "mention" || entity.type === "text_mention") {
      const isOwn = entity.type === "text_mention" ? String(entity.user.id) === bot.id : piece === `@${own}`;
      if (isOwn) cuts.push(withSpace(text, cuts, { from: offset, to }));
      else others = true;
    } else if (entity.type === "bot_command" && piece.includes("@")) {
      const at = piece.indexOf("@");
      if (piece.slice(at + 1) === own) cuts.push({ from: offset + at, to });
      else otherCommand = true;
    }
  }
  return { text: toMarkdown(text, entities, cuts), bot: cuts.length > 0, others, otherCommand };
}

/** A mention goes with the space that set it off. What was cut before counts as nothing. */
function withSpace(text: string, cuts: readonly CutRange[], { from, to }: CutRange): CutRange {
  const before = cuts.reduceRight((rest, cut) => rest.slice(0, cut.from) + rest.slice(cut.to), text.slice(0, from));
  const after = text.slice(to);
  const spaceAfter = after.length - after.trimStart().length;
  if (before.trim() === "") return { from: from - before.length, to: to + spaceAfter };
  if (after.trim() === "") return { from: text.slice(0, from).trimEnd().length, to: text.length };
  return { from, to: /\s$/.test(before) && /^\s/.test(after) ? to + 1 : to };
}
