import type { InboundAttachment, QuotedWords } from "../../../src/core/message/inbound-event.ts";
import type { Directory } from "../address.ts";
import { escaped, fieldsOf, isTyped, lines, listOf, stringOf, wordsOfBlocks } from "./blocks.ts";
import { readFile, type SlackFile, type SlackMessage } from "./event-shape.ts";

/** The text of a message as people see it, without this bot's own mention, and who it addresses. */
export interface ReadText {
  readonly text: string;
  /** This bot is mentioned. */
  readonly bot: boolean;
  /** Another person is mentioned. */
  readonly others: boolean;
}

const MARKUP = /<([^<>]*)>/g;

/**
 * Turns Slack's wire form into words: `<@U…>`, `<#C…|name>`, `<url|label>`, and the three escaped characters. Everything that
 * a person typed stays verbatim. The bot's own mention goes with the space that set it off.
 */
export function readText(
  wire: string,
  botUserId: string,
  { people, places, groups }: Pick<Directory, "people" | "places" | "groups">,
): ReadText {
  let bot = false;
  let others = false;
  const said = cutOwn(wire, botUserId, () => {
    bot = true;
  }).replace(MARKUP, (whole, inner: string) => {
    const [target = "", label] = split(inner);
    const mark = target[0];
    if (mark === "@") {
      others = true;
      const id = target.slice(1);
      const person = people.get(id);
      return `@${label ?? person?.username ?? person?.name ?? id}`;
    }
    if (mark === "#") return label ? `#${label}` : named("#", target.slice(1), places.get(target.slice(1))?.name);
    if (mark === "!") return special(target.slice(1), label, groups);
    return target === "" ? whole : link(target, label);
  });
  return { text: decode(said), bot, others };
}

/** Ids of the people a text mentions, so that they can be looked up before it is read. */
export function mentionedIn(wire: string): readonly string[] {
  return [...wire.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id = ""]) => id);
}

export function mentions(wire: string, userId: string): boolean {
  return mentionedIn(wire).includes(userId);
}

function cutOwn(wire: string, botUserId: string, found: () => void): string {
  const own = new RegExp(`<@${botUserId}(?:\\|[^<>]*)?>`, "g");
  let text = wire;
  for (let match = own.exec(text); match !== null; match = own.exec(text)) {
    found();
    const before = text.slice(0, match.index);
    const after = text.slice(match.index + match[0].length);
    text = joined(before, after);
    own.lastIndex = 0;
  }
  return text;
}

function joined(before: string, after: string): string {
  if (before.trim() === "") return after.trimStart();
  if (after.trim() === "") return before.trimEnd();
  return /\s$/.test(before) && /^\s/.test(after) ? before + after.slice(1) : before + after;
}

function split(inner: string): [string, string | undefined] {
  const bar = inner.indexOf("|");
  return bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
}

/** `<!channel>`, `<!subteam^S1|@team>`, `<!date^…|fallback>`. */
function special(command: string, label: string | undefined, groups: ReadonlyMap<string, string>): string {
  if (label !== undefined) return label;
  const group = /^subteam\^(.+)$/.exec(command)?.[1];
  return group === undefined ? `@${command}` : named("@", group, groups.get(group));
}

/** Name and id; the id alone where Slack does not say the name (FC-210). */
function named(mark: "@" | "#", id: string, name: string | null | undefined): string {
  return name ? `${mark}${name} (${id})` : `${mark}${id}`;
}

/** Ids of the channels that a text names without saying what they are called. */
export function placesIn(wire: string): readonly string[] {
  return [...wire.matchAll(/<#([CG][A-Z0-9]+)\|?>/g)].map(([, id = ""]) => id);
}

export function hasUnnamedGroup(wire: string): boolean {
  return /<!subteam\^[A-Z0-9]+>/.test(wire);
}

/** Slack wraps what people typed: a label that only repeats the address is not worth showing twice. */
function link(url: string, label: string | undefined): string {
  const bare = url.replace(/^(?:mailto|tel):/, "");
  if (label === undefined) return bare;
  const same = [url, bare, url.replace(/^https?:\/\//, "")].includes(label);
  return same ? label : `${label} (${bare})`;
}

/** The three characters that Slack escapes, as people typed them. */
export function decode(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_whole, name: string) => (name === "lt" ? "<" : name === "gt" ? ">" : "&"));
}

/** Slack no longer has the file, or never shows it to bots. */
const GONE = ["tombstone", "hidden_by_limit"];

/** What a message says, over every place where Slack puts words (FC-203, FC-204), all in Slack's wire form. */
export interface SlackContent {
  /** The sender's own words. */
  readonly text: string;
  /** Words that are not: shared messages, and previews of what a person links. */
  readonly quotes: readonly QuotedWords[];
  /** Its files, with those of the messages it shares. */
  readonly attachments: readonly InboundAttachment[];
}

/**
 * An app's attachments are its own words; a person cannot make any, so theirs are messages they share and previews of their
 * links. Blocks replace the text they come with, which is then only for notifications, unless they repeat what was typed.
 */
export function contentOf(message: SlackMessage): SlackContent {
  const attached = message.attachments ?? [];
  const byApp = message.bot_id !== undefined;
  const own = byApp ? attached.filter((one) => !isShare(one)) : [];
  const quoted = byApp ? attached.filter(isShare) : attached;
  return {
    text: lines([written(message), ...own.map(wordsOfAttachment)]),
    quotes: quoted.map(quoteOf).filter(({ kind, text }) => kind === "forward" || text !== ""),
    attachments: [...(message.files ?? []), ...quoted.flatMap(sharedFiles)].filter(isThere).map(attachmentOf),
  };
}

/** What the author wrote, without what is attached. Two versions of a message that agree in it are no edit (FC-080). */
export function written(message: SlackMessage): string {
  const text = message.text ?? "";
  if (text !== "" && isTyped(message.blocks)) return text;
  return wordsOfBlocks(message.blocks) || text;
}

type Attached = NonNullable<SlackMessage["attachments"]>[number];

function isShare(one: Attached): boolean {
  return one.is_share === true || one.is_msg_unfurl === true;
}

/** `fallback` repeats the rest as plain text, so it only counts where there is nothing else. */
function wordsOfAttachment(one: Attached): string {
  const title = stringOf(one.title);
  const address = stringOf(one.title_link);
  const said = lines([
    stringOf(one.pretext),
    escaped(stringOf(one.author_name)),
    title !== "" && address !== "" ? `<${address}|${title}>` : title,
    wordsOfBlocks(one.blocks) || stringOf(one.text),
    ...listOf(one.fields).map(fieldWords),
  ]);
  const inBlocks = said === "" ? wordsOfMessageBlocks(one) : said;
  return inBlocks === "" ? stringOf(one.fallback) : lines([inBlocks, stringOf(one.footer)]);
}

function fieldWords(field: unknown): string {
  const { title, value } = fieldsOf(field);
  return [stringOf(title), stringOf(value)].filter((part) => part !== "").join(": ");
}

/** A shared message brings its blocks, each inside a note of where it was written. */
function wordsOfMessageBlocks(one: Attached): string {
  return lines(listOf(one.message_blocks).map((block) => wordsOfBlocks(fieldsOf(fieldsOf(block).message).blocks)));
}

function quoteOf(one: Attached): QuotedWords {
  const address = [one.from_url, one.original_url, one.title_link].map(stringOf).find((url) => url !== "") ?? null;
  if (!isShare(one)) {
    return { kind: "preview", from: stringOf(one.service_name), origin: address, text: wordsOfAttachment(one) };
  }
  const channel = stringOf(one.channel_name);
  const origin = [channel === "" ? "" : `#${channel}`, address ?? ""].filter((part) => part !== "").join(", ");
  const text = wordsOfAttachment({ ...one, author_name: undefined, footer: undefined });
  const files = listOf(one.files).length;
  return {
    kind: "forward",
    from: stringOf(one.author_name) || stringOf(one.author_subname),
    origin: origin === "" ? null : origin,
    // The fallback of a share without words is a note of Slack's own.
    text: files > 0 && text === stringOf(one.fallback) && stringOf(one.text) === "" ? "" : text,
  };
}

function sharedFiles(one: Attached): readonly SlackFile[] {
  return listOf(one.files).map(readFile);
}

function isThere(file: SlackFile): boolean {
  return !GONE.includes(file.mode ?? "");
}

/** The files are known by their ids: only the platform's own record says where the bytes are now (FC-122). */
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
