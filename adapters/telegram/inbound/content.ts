import type { Message, MessageOrigin, PhotoSize } from "grammy/types";
import type { InboundAttachment, QuotedWords } from "../../../src/core/message/inbound-event.ts";
import { telegramContent } from "../../../src/core/texts/platforms/content.ts";
import { chatSender, linkOf, personName } from "../address.ts";
import { toMarkdown } from "./formatted.ts";

interface File {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

const VIDEO = { fallback: "video", extension: "mp4", mime: "video/mp4" } as const;

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
