import { assertNever } from "../runtime.ts";
import { codePointCeil, codePointFloor, findCodeBreak, largestFitting } from "./cut.ts";
import { cutInlines } from "./cut-inlines.ts";
import type { MdBlock, MdListItem } from "./markdown-tree.ts";
import { tableAsText } from "./plain-text.ts";

/** How a container's content measures: behind what already stands in the piece, and alone in a new one. */
export interface Room<T> {
  readonly limit: number;
  readonly here: (content: readonly T[]) => number;
  readonly fresh: (content: readonly T[]) => number;
}

export interface SequenceCut<T> {
  readonly head: readonly T[];
  readonly tail: readonly T[];
}

type Container = Extract<MdBlock, { type: "list" | "quote" }>;

/**
 * Takes as many blocks as fit and cuts the next one only where that serves the reader: when it fits no piece by itself,
 * or when it is a list or quote and the piece is less than half full. A heading goes with what follows it. `hard`:
 * something must come off. Null when nothing does.
 */
export function cutBlocks(blocks: readonly MdBlock[], room: Room<MdBlock>, hard: boolean): SequenceCut<MdBlock> | null {
  const whole = largestFitting(blocks.length, (count) => room.here(blocks.slice(0, count)) <= room.limit);
  const next = blocks[whole];
  if (next === undefined) return { head: blocks, tail: [] };
  const before = blocks.slice(0, whole);
  const rest = blocks.slice(whole + 1);
  if (whole === 0 || divides(next, before, room)) {
    const cut = cutBlock(
      next,
      {
        limit: room.limit,
        here: (content) => room.here([...before, ...content]),
        fresh: room.fresh,
      },
      hard && whole === 0,
    );
    if (cut !== null) return { head: [...before, ...cut.head], tail: [...cut.tail, ...rest] };
  }
  if (whole === 0) return null;
  const keep = whole > 1 && blocks[whole - 1]?.type === "heading" ? whole - 1 : whole;
  return { head: blocks.slice(0, keep), tail: blocks.slice(keep) };
}

function divides(next: MdBlock, before: readonly MdBlock[], room: Room<MdBlock>): boolean {
  const container = next.type === "list" || next.type === "quote";
  if (container && room.here(before) * 2 < room.limit) return true;
  if (before.every((block) => block.type === "heading")) return true;
  return room.fresh([next]) > room.limit;
}

/** Cuts one block; head and tail hold at most one block each. */
function cutBlock(block: MdBlock, room: Room<MdBlock>, hard: boolean): SequenceCut<MdBlock> | null {
  switch (block.type) {
    case "paragraph":
    case "heading": {
      const fits = (children: typeof block.children): boolean => room.here([{ ...block, children }]) <= room.limit;
      const cut = cutInlines(block.children, { fits, hard });
      if (cut === null) return null;
      const part = (children: typeof block.children): MdBlock[] =>
        children.length === 0 ? [] : [{ ...block, children }];
      return { head: part(cut.head), tail: part(cut.tail) };
    }
    case "codeBlock":
      return cutCode(block, room, hard);
    case "table":
      return cutCode({ type: "codeBlock", lang: null, text: tableAsText(block) }, room, hard);
    case "list":
    case "quote":
      return cutContainer(block, room, hard);
    case "rule":
      return null;
    default:
      return assertNever(block);
  }
}

function cutContainer(block: Container, room: Room<MdBlock>, hard: boolean): SequenceCut<MdBlock> | null {
  if (block.type === "list") return cutList(block, room, hard);
  const wrap = (children: readonly MdBlock[]): MdBlock[] => (children.length === 0 ? [] : [{ ...block, children }]);
  const cut = cutBlocks(block.children, inside(room, wrap), hard);
  return cut === null ? null : { head: wrap(cut.head), tail: wrap(cut.tail) };
}

function cutList(
  list: Extract<MdBlock, { type: "list" }>,
  room: Room<MdBlock>,
  hard: boolean,
): SequenceCut<MdBlock> | null {
  const wrap = (items: readonly MdListItem[]): MdBlock[] => (items.length === 0 ? [] : [{ ...list, items }]);
  const inner = inside(room, wrap);
  const whole = largestFitting(list.items.length, (count) => inner.here(list.items.slice(0, count)) <= room.limit);
  const next = list.items[whole];
  if (next === undefined) return { head: [list], tail: [] };
  const before = list.items.slice(0, whole);
  const rest = list.items.slice(whole + 1);
  const from = (items: readonly MdListItem[]): MdBlock[] =>
    items.length === 0 ? [] : [{ ...list, start: list.start + (list.ordered ? whole : 0), items }];
  if (whole === 0 || inner.fresh([next]) > room.limit) {
    const itemRoom = inside(inner, (children: readonly MdBlock[]) => [{ ...next, children }]);
    const cut = cutBlocks(
      next.children,
      { ...itemRoom, here: (children) => inner.here([...before, { ...next, children }]) },
      hard && whole === 0,
    );
    if (cut !== null && cut.head.length > 0) {
      const remains = cut.tail.length === 0 ? [] : [{ ...next, continued: true, children: cut.tail }];
      return { head: wrap([...before, { ...next, children: cut.head }]), tail: from([...remains, ...rest]) };
    }
    if (cut !== null && cut.tail.length > 0 && whole === 0)
      return { head: [], tail: from([{ ...next, children: cut.tail }, ...rest]) };
  }
  return whole === 0 ? null : { head: wrap(before), tail: from(list.items.slice(whole)) };
}

function inside<Outer, Inner>(room: Room<Outer>, wrap: (content: readonly Inner[]) => readonly Outer[]): Room<Inner> {
  return {
    limit: room.limit,
    here: (content) => room.here(wrap(content)),
    fresh: (content) => room.fresh(wrap(content)),
  };
}

/** Lines of code stay whole while they can; indentation at the cut is kept, only the one line end goes. */
function cutCode(
  block: Extract<MdBlock, { type: "codeBlock" }>,
  room: Room<MdBlock>,
  hard: boolean,
): SequenceCut<MdBlock> | null {
  const { text } = block;
  const fits = (end: number): boolean => room.here([{ ...block, text: text.slice(0, end) }]) <= room.limit;
  const most = largestFitting(text.length, fits, 256);
  if (most === text.length) return { head: [block], tail: [] };
  if (!hard) {
    const found = findCodeBreak(text, most);
    return found.quality === "line" && text.slice(0, found.at).trim() !== "" ? codeAt(block, found.at) : null;
  }
  for (let size = most; size > 0; size >>= 1) {
    const at = findCodeBreak(text, size).at || codePointFloor(text, size) || codePointCeil(text, 1);
    if (fits(at)) return codeAt(block, at);
  }
  return null;
}

function codeAt(block: Extract<MdBlock, { type: "codeBlock" }>, at: number): SequenceCut<MdBlock> {
  const head = { ...block, text: block.text.slice(0, at) };
  const start = block.text.charAt(at) === "\n" ? at + 1 : at;
  return {
    head: head.text.trim() === "" ? [] : [head],
    tail: start >= block.text.length ? [] : [{ ...block, text: block.text.slice(start) }],
  };
}
