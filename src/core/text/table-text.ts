import type { MdAlign, MdBlock } from "./markdown-tree.ts";
import { plainInlines } from "./plain-text.ts";

type MdTable = Extract<MdBlock, { type: "table" }>;

/** Wider cells are not padded to; one long cell would blow up every row of its column. */
const MAX_COLUMN = 40;

/**
 * A table as aligned text for a fixed-width font, for platforms without tables (`DL-7`): cells separated by ` | `, a
 * line of dashes under the header, no trailing space. Cells are one line; columns are at most 40 wide, longer cells
 * stand out. Width counts wide characters (CJK, emoji) as two.
 */
export function tableAsText(table: MdTable): string {
  const rows = [table.header, ...table.rows].map((row) =>
    row.map((cell) => plainInlines(cell).replace(/\s+/g, " ").trim()),
  );
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(
      MAX_COLUMN,
      rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? "")), 3),
    ),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, table.align[column] ?? null))
      .join(" | ")
      .trimEnd(),
  );
  const [header = "", ...body] = lines;
  return [header, widths.map((width) => "-".repeat(width)).join("-|-"), ...body].join("\n");
}

function pad(text: string, width: number, align: MdAlign): string {
  const missing = width - displayWidth(text);
  if (missing <= 0) return text;
  switch (align) {
    case "right":
      return " ".repeat(missing) + text;
    case "center":
      return " ".repeat(Math.floor(missing / 2)) + text + " ".repeat(Math.ceil(missing / 2));
    case "left":
    case null:
      return text + " ".repeat(missing);
  }
}

/** Columns a text takes in a fixed-width font; combining marks take none. */
function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) {
    if (/\p{M}|\u200d|\ufe0f/u.test(char)) continue;
    width += isWide(char.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

function isWide(point: number): boolean {
  return (
    (point >= 0x1100 && point <= 0x115f) ||
    (point >= 0x2e80 && point <= 0xa4cf) ||
    (point >= 0xac00 && point <= 0xd7a3) ||
    (point >= 0xf900 && point <= 0xfaff) ||
    (point >= 0xfe30 && point <= 0xfe6f) ||
    (point >= 0xff00 && point <= 0xff60) ||
    (point >= 0xffe0 && point <= 0xffe6) ||
    (point >= 0x1f300 && point <= 0x1faff) ||
    (point >= 0x20000 && point <= 0x3fffd)
  );
}
