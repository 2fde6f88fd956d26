import { type APIAttachment, type APIEmbed, type APIMessage, EmbedType } from "discord-api-types/v10";
import { z } from "zod";
import type { InboundAttachment, QuotedWords } from "../../../src/core/message/inbound-event.ts";
import { discordContent } from "../../../src/core/texts/platforms/content.ts";
import { wordsOfComponents } from "./components.ts";

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
type Carrier = Pick<APIMessage, "content" | "attachments" | "embeds"> &
  Partial<Pick<APIMessage, "flags" | "sticker_items" | "poll" | "components" | "activity" | "shared_client_theme">>;

/** What a message says, over every place where Discord puts words (FC-204). */
export interface DiscordContent {
  /** The part of the sender's own text in which a mention notifies a person. */
  readonly typed: string;
  /** The sender's other words: a poll, and what an app puts into embeds. */
  readonly shown: string;
  /** Words that are not the sender's: forwards, and previews of what a person links. */
  readonly quotes: readonly QuotedWords[];
  readonly forwarded: boolean;
  readonly attachments: readonly InboundAttachment[];
}

/** An app's embeds are its own words. A person cannot make any: theirs are previews of their links. */
export function contentOf(message: APIMessage): DiscordContent {
  const { message_reference: reference, message_snapshots: snapshots = [] } = message;
  const forwarded = reference?.type === FORWARD;
  const held = forwarded ? snapshots.map((one): Carrier => ({ ...one.message, embeds: one.message.embeds ?? [] })) : [];
  const byApp = message.author.bot === true || message.webhook_id !== undefined;
  const origin = forwarded ? linkTo(reference) : null;
  const forwards = (held.length === 0 && forwarded ? [null] : held).map(
    (one): QuotedWords => ({
      kind: "forward",
      from: "",
      origin,
      text: one === null ? "" : allWords(one),
    }),
  );
  return {
    typed: typedWords(message),
    shown: lines([...(byApp ? message.embeds.map(cardText) : []), ...described(message)]),
    quotes: [...forwards, ...(byApp ? [] : message.embeds.map(previewOf).filter(({ text }) => text !== ""))],
    forwarded,
    attachments: [message, ...held].flatMap(attachmentsOf),
  };
}

/** Discord does not say who wrote what is forwarded, only where. */
function linkTo({
  guild_id: guild = "@me",
  channel_id: channel,
  message_id: id,
}: NonNullable<APIMessage["message_reference"]>): string | null {
  return id === undefined ? null : `https://discord.com/channels/${guild}/${channel}/${id}`;
}

function attachmentsOf(content: Carrier): readonly InboundAttachment[] {
  const isVoice = ((content.flags ?? 0) & VOICE_MESSAGE) !== 0;
  const files = (content.attachments ?? []).map((file) => attachment(file, isVoice));
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

function typedWords({ content, components = [] }: Carrier): string {
  return lines([content, wordsOfComponents(components)]);
}

/** Every word of it, for a quote. */
function allWords(content: Carrier): string {
  return lines([typedWords(content), ...content.embeds.map(cardText), ...described(content)]);
}

/** Words for content that is neither text nor file. They begin with their kind, so nothing in them can be read as a command. */
function described({ poll, activity, shared_client_theme: theme }: Carrier): string[] {
  const asked = poll === undefined ? "" : lines([`Poll: ${poll.question.text ?? ""}`, ...poll.answers.map(answerText)]);
  const invited = activity === undefined ? "" : discordContent.activity;
  return [asked, invited, theme === undefined ? "" : discordContent.theme];
}

function answerText({ poll_media: { text, emoji } }: NonNullable<APIMessage["poll"]>["answers"][number]): string {
  return `- ${[emoji?.name ?? "", text ?? ""].filter((part) => part !== "").join(" ")}`;
}

function cardText(embed: APIEmbed): string {
  const { type, author, title, description, fields = [], footer } = embed;
  if (type === EmbedType.PollResult)
    return `Poll result: ${fields.map(({ name, value }) => `${name}: ${value}`).join(", ")}`;
  return lines([
    author?.name ?? "",
    title ?? "",
    description ?? "",
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    footer?.text ?? "",
  ]);
}

function previewOf(embed: APIEmbed): QuotedWords {
  return { kind: "preview", from: embed.provider?.name ?? "", origin: embed.url ?? null, text: cardText(embed) };
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** What a quoted message says. */
export function quotableText(message: APIMessage): string {
  const { attachments, quotes } = contentOf(message);
  const forwards = quotes.filter(({ kind }) => kind === "forward").map(({ text }) => text);
  const words = lines([allWords(message), ...forwards]);
  return words === "" ? attachments.map((file) => file.name).join(", ") : words;
}

const id = z.string().regex(/^[1-9]\d{0,19}$/, { error: "is no id" });
const user = z.looseObject({ id, username: z.string() });
const member = z.looseObject({ roles: z.array(z.string()), nick: z.string().nullish() });
const files = z.array(z.looseObject({ id, filename: z.string(), size: z.number(), url: z.string() }));
const written = {
  id,
  channel_id: id,
  guild_id: id.optional(),
  type: z.int(),
  author: user,
  content: z.string(),
  timestamp: z.string(),
  edited_timestamp: z.string().nullish(),
  webhook_id: id.nullish(),
  attachments: files,
  embeds: z.array(z.looseObject({})),
  member: member.optional(),
};
const message = z.looseObject({ ...written, referenced_message: z.looseObject(written).nullish() });

const interaction = z.looseObject({
  id,
  token: z.string().min(1),
  type: z.int(),
  application_id: id,
  channel_id: id.optional(),
  guild_id: id.optional(),
  user: user.optional(),
  member: z.looseObject({ roles: z.array(z.string()), nick: z.string().nullish(), user }).optional(),
  data: z
    .looseObject({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.looseObject({ name: z.string(), type: z.int() })).optional(),
    })
    .optional(),
});
const deletion = z.looseObject({ id, channel_id: id });
const threadUpdate = z.looseObject({
  id,
  parent_id: id.nullish(),
  guild_id: id.optional(),
  thread_metadata: z.looseObject({ archived: z.boolean(), locked: z.boolean().optional() }).optional(),
});

/** A message as the gateway and the history give it; the history leaves out guild and membership. */
export type DiscordMessage = APIMessage & {
  readonly guild_id?: string;
  readonly member?: { readonly nick?: string | null; readonly roles: string[] };
};

export type DiscordInteraction = z.infer<typeof interaction>;
export type DiscordThread = z.infer<typeof threadUpdate>;

/**
 * Each throws on a payload whose identity, place, sender or text is not what the platform promises, naming the field: such
 * an event is poison (IN-3), and reading it all the same would make sessions for people and channels that do not exist.
 */
export const shapes = {
  // Checked as far as it is read; the published type names the rest.
  message: (data: unknown): DiscordMessage => checked(message, data) as unknown as DiscordMessage,
  interaction: (data: unknown): DiscordInteraction => checked(interaction, data),
  deletion: (data: unknown): z.infer<typeof deletion> => checked(deletion, data),
  thread: (data: unknown): DiscordThread => checked(threadUpdate, data),
};

function checked<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`the event is malformed at ${issue?.path.join(".")}: ${issue?.message}`);
}
