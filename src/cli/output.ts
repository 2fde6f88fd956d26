import type { ConfigFault } from "../core/errors.ts";

/** Where a command writes: results to `out`, everything else to `err`, so that results can be piped. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** Rows as aligned columns under their headings; the last column is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** `3 s`, `5 min`, `2 h`, `4 d` ago. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** One line of at most `length` characters; line breaks become spaces. */
export function oneLine(text: string, length = 80): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Faults or warnings of a configuration, one a line: where, what, how to mend it (OP-2). */
export function faultLines(faults: readonly ConfigFault[], prefix = ""): string {
  return faults.map((fault) => `${prefix}${fault.path}: ${fault.problem}. ${fault.remedy}`).join("\n");
}
