import type { ConfigFault } from "../core/errors.ts";
import { visibleJson, visibleLine, visibleText } from "../core/text/visible.ts";
import { faultLine } from "../core/texts/config/load.ts";

/** Where a command writes: results to `out`, everything else to `err`, so that results can be piped. */
export interface CliOutput {
  out(text: string): void;
  err(text: string): void;
}

/** The only way a command prints (FC-408): everything a terminal would act on or hide is escaped. */
export interface Printer extends CliOutput {
  json(value: unknown): void;
  /** Takes lines that are escaped already and may be coloured: those of the log. */
  readonly log: CliOutput;
}

export function createPrinter(output: CliOutput): Printer {
  return {
    out: (text) => output.out(visibleText(text)),
    err: (text) => output.err(visibleText(text)),
    json: (value) => output.out(visibleJson(JSON.stringify(value, null, 2))),
    log: output,
  };
}

/** Rows as aligned columns under their headings, each on one line; the last column is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(visibleLine))];
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

/** A text in a table's cell: at most `length` characters; white space becomes single spaces. */
export function cellText(text: string, length = 80): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

/** Faults or warnings of a configuration, one a line: where, what, how to fix it (OP-2). */
export function faultLines(faults: readonly ConfigFault[], prefix = ""): string {
  return faults.map((fault) => `${prefix}${visibleLine(faultLine(fault))}`).join("\n");
}
