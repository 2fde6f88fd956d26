import type { StateInline } from "markdown-it";

/** A link or an image at a position in a run of inline Markdown. */
interface LinkMark {
  readonly image: boolean;
  readonly labelStart: number;
  readonly labelEnd: number;
  readonly href: string;
  readonly end: number;
}

interface CodeMark {
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

/** What a first look over a run finds, by the offset at which it starts. */
export interface Marks {
  readonly links: ReadonlyMap<number, LinkMark>;
  readonly code: ReadonlyMap<number, CodeMark>;
}

/** Longer addresses and titles make no link: each `[a](` would look so far ahead. */
export const LONGEST_URL = 4_096;
const LONGEST_LABEL = 999;
const TICKS = /`+/g;
const MARK = /[\\`<![\]]/g;
/** What stands in angle brackets and may hold brackets of its own. */
const ANGLE = /<[^\s<>][^<>]{0,500}>/y;

/**
 * Finds code spans, links and images in one walk, as CommonMark pairs them: the nearest bracket wins, and no link holds another.
 * markdown-it by itself looks for the end of each bracket in all the rest of the paragraph.
 */
export function findMarks(state: StateInline): Marks {
  const { src } = state;
  const code = findCodeSpans(src);
  const links = new Map<number, LinkMark>();
  const open: { readonly at: number; readonly image: boolean }[] = [];
  /** Brackets below this place in the stack hold a link already. */
  let inactive = 0;
  MARK.lastIndex = 0;
  for (let match = MARK.exec(src); match !== null; match = MARK.exec(src)) {
    const at = match.index;
    switch (match[0]) {
      case "\\":
        MARK.lastIndex = at + 2;
        break;
      case "`":
        MARK.lastIndex = code.get(at)?.end ?? endOfTicks(src, at);
        break;
      case "<":
        ANGLE.lastIndex = at;
        if (ANGLE.test(src)) MARK.lastIndex = ANGLE.lastIndex;
        break;
      case "!":
        if (src.charAt(at + 1) !== "[") break;
        open.push({ at, image: true });
        MARK.lastIndex = at + 2;
        break;
      case "[":
        open.push({ at, image: false });
        break;
      default: {
        const opener = open.pop();
        if (opener === undefined) break;
        const active = opener.image || open.length >= inactive;
        inactive = Math.min(inactive, open.length);
        const found = active ? linkAt(state, opener, at) : null;
        if (found === null) break;
        links.set(opener.at, found);
        if (!opener.image) inactive = open.length;
        MARK.lastIndex = found.end;
      }
    }
  }
  return { links, code };
}

function linkAt(
  state: StateInline,
  opener: { readonly at: number; readonly image: boolean },
  labelEnd: number,
): LinkMark | null {
  const { at, image } = opener;
  const labelStart = at + (image ? 2 : 1);
  const target = inlineTarget(state, labelEnd + 1) ?? referenceTarget(state, labelStart, labelEnd);
  return target === null ? null : { image, labelStart, labelEnd, ...target };
}

interface Target {
  readonly href: string;
  readonly end: number;
}

function inlineTarget(state: StateInline, at: number): Target | null {
  const { src, md } = state;
  if (src.charAt(at) !== "(") return null;
  const max = Math.min(src.length, at + LONGEST_URL);
  const start = skipSpace(src, at + 1, max);
  const destination = md.helpers.parseLinkDestination(src, start, max);
  const href = destination.ok ? destination.str : "";
  const behind = destination.ok ? destination.pos : start;
  let end = skipSpace(src, behind, max);
  if (end > behind) {
    const title = md.helpers.parseLinkTitle(src, end, max);
    if (title.ok) end = skipSpace(src, title.pos, max);
  }
  return src.charAt(end) === ")" ? { href, end: end + 1 } : null;
}

function referenceTarget(state: StateInline, labelStart: number, labelEnd: number): Target | null {
  const { src, md, env } = state;
  const references = env.references;
  if (references === undefined || labelEnd - labelStart > LONGEST_LABEL) return null;
  let label = src.slice(labelStart, labelEnd);
  let end = labelEnd + 1;
  if (src.charAt(end) === "[") {
    const close = src.slice(end + 1, end + 1 + LONGEST_LABEL).indexOf("]");
    if (close === -1) return null;
    if (close > 0) label = src.slice(end + 1, end + 1 + close);
    end += close + 2;
  }
  const href = references[md.utils.normalizeReference(label)]?.href;
  return href === undefined ? null : { href, end };
}

/** Every run of backticks with the next run of its length, found from the back so that no run searches ahead. */
function findCodeSpans(src: string): Map<number, CodeMark> {
  const spans = new Map<number, CodeMark>();
  if (!src.includes("`")) return spans;
  const runs = [...src.matchAll(TICKS)].map(({ index, 0: ticks }) => ({ start: index, size: ticks.length }));
  const next = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { start, size } = runs[index] ?? { start: 0, size: 0 };
    const contentEnd = next.get(size);
    if (contentEnd !== undefined) spans.set(start, { contentStart: start + size, contentEnd, end: contentEnd + size });
    // A backslash takes the first mark of a run; what follows it may begin a shorter one, which nothing here may hide.
    const shorter = next.get(size - 1);
    if (size > 1 && shorter !== undefined && src.charAt(start - 1) === "\\")
      spans.set(start + 1, { contentStart: start + size, contentEnd: shorter, end: shorter + size - 1 });
    next.set(size, start);
  }
  return spans;
}

function endOfTicks(src: string, from: number): number {
  let end = from;
  while (src.charCodeAt(end) === 96) end += 1;
  return end;
}

function skipSpace(src: string, from: number, max: number): number {
  let at = from;
  while (at < max && (src.charCodeAt(at) === 32 || src.charCodeAt(at) === 10 || src.charCodeAt(at) === 9)) at += 1;
  return at;
}

/** Where an address that stands bare in a text ends in every script: white space, angle brackets, quotes and brackets of CJK. */
const STOPS =
  /[\s<>`\u0000-\u001f\u007f\u2018-\u201f\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/;
/** What belongs to the sentence when it ends an address. */
const TRAILING = /[?!.,:;*_~'"|]/;
const WORD = /(?<![\w.+/@-])(?:www\.(?=[\w-])|[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?![\w@]))/gi;

/** A piece of text, and the address it leads to; null: it is only text. */
export interface TextPart {
  readonly text: string;
  readonly url: string | null;
}

/** The end of the address that starts at `from`. Brackets that it did not open end it, and so do marks of emphasis. */
export function endOfUrl(text: string, from: number, max: number): number {
  const open: string[] = [];
  let end = from;
  for (; end < max; end += 1) {
    const char = text.charAt(end);
    if (STOPS.test(char)) break;
    if ((char === "*" || char === "~" || char === "|") && text.charAt(end + 1) === char) break;
    if (char === "(" || char === "[") open.push(char === "(" ? ")" : "]");
    else if ((char === ")" || char === "]") && open.pop() !== char) break;
  }
  while (end > from && TRAILING.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Splits a text at the addresses without a scheme that people know as links: `www.…` and mail addresses. */
export function bareLinks(text: string): readonly TextPart[] {
  if (!text.includes("@") && !/www\./i.test(text)) return [{ text, url: null }];
  const parts: TextPart[] = [];
  let last = 0;
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const [found] = match;
    const mail = found.includes("@");
    const end = mail ? match.index + found.replace(/[.-]$/, "").length : endOfUrl(text, match.index, text.length);
    WORD.lastIndex = Math.max(end, match.index + found.length);
    if (!mail && (end - match.index > LONGEST_URL || !text.slice(match.index + 4, end).includes("."))) continue;
    const address = text.slice(match.index, end);
    parts.push({ text: text.slice(last, match.index), url: null });
    parts.push({ text: address, url: mail ? `mailto:${address}` : `http://${address}` });
    last = end;
  }
  parts.push({ text: text.slice(last), url: null });
  return parts.filter((part) => part.text !== "");
}
