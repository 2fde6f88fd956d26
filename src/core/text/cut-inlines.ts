import { assertNever } from "../runtime.ts";
import { codePointCeil, codePointFloor, findBreak, largestFitting } from "./cut.ts";
import type { MdInline } from "./markdown-tree.ts";
import { labelled, plainInlines } from "./plain-text.ts";

/** Represents a link, image or mention, which is never cut, in the linear form of inline content. */
const ATOM = "\ufffc";

export interface InlineCut {
  readonly head: readonly MdInline[];
  readonly tail: readonly MdInline[];
}

export interface InlineCutOptions {
  /** Whether a head with this content stays within the limit. */
  readonly fits: (children: readonly MdInline[]) => boolean;
  /**
   * Nothing stands before it in the piece, so something must be cut off: also inside a word, and a link that is too long
   * by itself becomes text. Otherwise only line, sentence and word ends count.
   */
  readonly hard: boolean;
}

/**
 * Cuts inline content at the best place so that the head fits (`DL-6`): never inside a link, a grapheme or a surrogate
 * pair; marks that are open at the cut are closed and opened again. Returns null when no head can be cut off.
 */
export function cutInlines(children: readonly MdInline[], options: InlineCutOptions): InlineCut | null {
  const text = linear(children);
  const fitsUpTo = (position: number): boolean => options.fits(take(children, position));
  const most = largestFitting(text.length, fitsUpTo, 256);
  if (most === text.length) return { head: children, tail: [] };
  if (!options.hard) {
    const found = findBreak(text, most);
    return found.quality === "grapheme" ? null : cutAt(children, text, found.at);
  }
  for (let room = most; room > 0; room >>= 1) {
    const at = findBreak(text, room).at || codePointFloor(text, room) || codePointCeil(text, 1);
    const cut = cutAt(children, text, at);
    if (cut !== null && options.fits(cut.head)) return cut;
  }
  const softened = firstAtomAsText(children);
  return softened === null ? null : cutInlines(softened, options);
}

function cutAt(children: readonly MdInline[], text: string, at: number): InlineCut | null {
  let end = at;
  let start = at;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  while (start < text.length && isSpace(text.charCodeAt(start))) start += 1;
  // A head of nothing but white space would be a blank message; the space goes and the rest stays.
  if (end === 0) return start === 0 ? null : { head: [], tail: drop(children, start) };
  return { head: take(children, end), tail: drop(children, start) };
}

/** One character per unit of text, break or atom; positions in it are where a cut may be. */
function linear(children: readonly MdInline[]): string {
  let text = "";
  for (const child of children) {
    switch (child.type) {
      case "text":
      case "code":
        text += child.text;
        break;
      case "strong":
      case "em":
      case "del":
      case "spoiler":
        text += linear(child.children);
        break;
      case "link":
      case "image":
      case "mention":
        text += ATOM;
        break;
      case "break":
        text += "\n";
        break;
      default:
        assertNever(child);
    }
  }
  return text;
}

function lengthOf(child: MdInline): number {
  switch (child.type) {
    case "text":
    case "code":
      return child.text.length;
    case "strong":
    case "em":
    case "del":
    case "spoiler":
      return child.children.reduce((sum, inner) => sum + lengthOf(inner), 0);
    case "link":
    case "image":
    case "mention":
    case "break":
      return 1;
    default:
      return assertNever(child);
  }
}

function take(children: readonly MdInline[], position: number): MdInline[] {
  const taken: MdInline[] = [];
  let left = position;
  for (const child of children) {
    if (left <= 0) break;
    const length = lengthOf(child);
    taken.push(length <= left ? child : slice(child, 0, left));
    left -= length;
  }
  return taken;
}

function drop(children: readonly MdInline[], position: number): MdInline[] {
  let left = position;
  for (let index = 0; index < children.length; index += 1) {
    const child = children[index];
    if (child === undefined) break;
    const length = lengthOf(child);
    if (length > left) return [left === 0 ? child : slice(child, left, length), ...children.slice(index + 1)];
    left -= length;
  }
  return [];
}

function slice(child: MdInline, from: number, to: number): MdInline {
  switch (child.type) {
    case "text":
    case "code":
      return { ...child, text: child.text.slice(from, to) };
    case "strong":
    case "em":
    case "del":
    case "spoiler":
      return { ...child, children: from === 0 ? take(child.children, to) : drop(child.children, from) };
    case "link":
    case "image":
    case "mention":
    case "break":
      return child;
    default:
      return assertNever(child);
  }
}

/** An address that will be cut is code: a platform would make a link of its beginning, which leads elsewhere. */
function withoutLink(label: string, url: string): MdInline[] {
  if (url === "") return [{ type: "text", text: label }];
  const shown = labelled(label, url);
  if (shown === url || shown === label) return [{ type: "code", text: shown }];
  return [
    { type: "text", text: `${label} (` },
    { type: "code", text: url },
    { type: "text", text: ")" },
  ];
}

/** The content with its very first link or image written out as text, or null when it starts with neither. */
function firstAtomAsText(children: readonly MdInline[]): MdInline[] | null {
  const [first, ...rest] = children;
  switch (first?.type) {
    case "link":
      return [...withoutLink(plainInlines(first.children), first.url), ...rest];
    case "image":
      return [...withoutLink(first.alt, first.url), ...rest];
    case "mention":
      return [{ type: "text", text: plainInlines([first]) }, ...rest];
    case "strong":
    case "em":
    case "del":
    case "spoiler": {
      const inner = firstAtomAsText(first.children);
      return inner === null ? null : [{ ...first, children: inner }, ...rest];
    }
    default:
      return null;
  }
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0 || unit === 0x3000;
}
