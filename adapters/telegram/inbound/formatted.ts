import type { MessageEntity } from "grammy/types";

export interface CutRange {
  readonly from: number;
  readonly to: number;
}

interface Mark {
  readonly from: number;
  readonly to: number;
  readonly open: string;
  readonly close: string;
}

/**
 * A text as Markdown (FC-207): what its entities say is written into it before anything else reads it, so that a link keeps its
 * address, code is code, and a quote is not the sender's words. Offsets are UTF-16 units, as string indices are. What people
 * typed stays verbatim; `cuts` are left out.
 */
export function toMarkdown(text: string, entities: readonly MessageEntity[], cuts: readonly CutRange[] = []): string {
  if (entities.length === 0 && cuts.length === 0) return text;
  const removed = cuts.reduce((gone, cut) => gone.fill(1, cut.from, cut.to), new Uint8Array(text.length));
  const isLeft = ({ offset, length }: MessageEntity): boolean =>
    !cuts.some(({ from, to }) => from <= offset && offset + length <= to);
  const inserts = insertsOf(text, entities.filter(isLeft));
  let out = "";
  for (let at = 0; at <= text.length; at += 1) {
    out += inserts.get(at) ?? "";
    if (at < text.length && removed[at] === 0) out += text[at];
  }
  return out;
}

/** What is written before each position: first what ends there, the innermost first, then quote marks, then what begins. */
function insertsOf(text: string, entities: readonly MessageEntity[]): ReadonlyMap<number, string> {
  const marks = entities.flatMap((entity) => markOf(text, entity)).sort((a, b) => a.from - b.from || b.to - a.to);
  const at = new Map<number, { closes: string; quotes: string; opens: string }>();
  const slot = (position: number) => {
    const known = at.get(position) ?? { closes: "", quotes: "", opens: "" };
    at.set(position, known);
    return known;
  };
  for (const { from, to, open, close } of marks) {
    slot(from).opens += open;
    slot(to).closes = close + slot(to).closes;
  }
  for (const entity of entities.filter(isQuote)) {
    const to = entity.offset + entity.length;
    for (let line = entity.offset; line < to; line = nextLine(text, line, to)) slot(line).quotes += "> ";
    // Without an empty line the next words would go on as part of the quote.
    if (to < text.length && !text.startsWith("\n\n", to)) slot(to).closes += "\n";
  }
  return new Map([...at].map(([position, { closes, quotes, opens }]) => [position, closes + quotes + opens]));
}

function isQuote({ type }: MessageEntity): boolean {
  return type === "blockquote" || type === "expandable_blockquote";
}

function nextLine(text: string, from: number, end: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 || found + 1 >= end ? end : found + 1;
}

function markOf(text: string, entity: MessageEntity): readonly Mark[] {
  const whole = text.slice(entity.offset, entity.offset + entity.length);
  const from = entity.offset + (whole.length - whole.trimStart().length);
  const to = entity.offset + whole.trimEnd().length;
  if (to <= from) return [];
  const inside = text.slice(from, to);
  const around = (open: string, close = open): readonly Mark[] => [{ from, to, open, close }];
  switch (entity.type) {
    case "bold":
      return isCommand(text, from) ? [] : around("**");
    case "italic":
      return isCommand(text, from) ? [] : around("_");
    case "strikethrough":
      return around("~~");
    case "spoiler":
      return around("||");
    case "code": {
      const fence = fenceFor(inside, 1);
      const pad = inside.startsWith("`") || inside.endsWith("`") ? " " : "";
      return around(fence + pad, pad + fence);
    }
    case "pre": {
      const fence = fenceFor(inside, 3);
      const before = from === 0 || text[from - 1] === "\n" ? "" : "\n";
      const after = to === text.length || text[to] === "\n" ? "" : "\n";
      return around(`${before}${fence}${entity.language ?? ""}\n`, `\n${fence}${after}`);
    }
    case "text_link":
      return inside === entity.url
        ? []
        : around("[", `](${/[()\s]/.test(entity.url) ? `<${entity.url}>` : entity.url})`);
    default:
      return [];
  }
}

/** A command in bold stays one: marks before its slash would make it words. */
function isCommand(text: string, at: number): boolean {
  return text.slice(0, at).trim() === "" && text[at] === "/";
}

/** Longer than any run of backticks inside. */
function fenceFor(inside: string, least: number): string {
  const longest = Math.max(0, ...[...inside.matchAll(/`+/g)].map((run) => run[0].length));
  return "`".repeat(longest >= least ? longest + 1 : least);
}
