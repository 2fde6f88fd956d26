import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./pages.ts";

/** One row of a table of docs/security.md: its cells, by the heading of their column. */
type Row = Readonly<Record<string, string>>;

const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
};
const rows = rowsOf(readFileSync(join(root, "docs/security.md"), "utf8"));
const bounds = rows.filter((row) => row.code !== undefined);

function rowsOf(page: string): readonly Row[] {
  const tables = page.match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [headings = [], , ...cells] = table
      .trimEnd()
      .split("\n")
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      );
    return cells.map((row) => Object.fromEntries(headings.map((heading, at) => [heading, row[at] ?? ""])));
  });
}

/** The number that the code gives `name`; `A.b` is the first `b` after the first `A`. */
function constant(file: string, name: string): number {
  const text = readFileSync(join(root, file), "utf8");
  const parts = name.split(".");
  const last = parts.pop() ?? "";
  const from = parts.reduce((at, part) => text.indexOf(part, at), 0);
  const value = new RegExp(`\\b${last}(?:: number)?\\s*(?:=|:|\\?\\?)\\s*([\\d_.]+(?:\\s*\\*\\s*[\\d_.]+)*)`).exec(
    text.slice(from),
  )?.[1];
  if (from < 0 || value === undefined) throw new Error(`${file} gives no number to ${name}`);
  return value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

function written(bound: string): number {
  const [, number = "", unit = ""] = /^([\d,.]+) ?(\S*)/.exec(bound) ?? [];
  return Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1);
}

describe("what docs/security.md promises", () => {
  it("style: it has tables of trust and of bounds, and every row names a test", () => {
    expect(rows.length - bounds.length).toBeGreaterThan(5);
    expect(bounds.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !/^\[.+\]\(\.\.\/test\/\S+\.ts\)$/.test(row.test ?? ""))).toEqual([]);
  });

  it.each(rows.map((row) => [row.test ?? ""]))("style: the test %s exists", (cell) => {
    const [, name = "", file = ""] = /^\[(.+)\]\(\.\.\/(.+)\)$/.exec(cell) ?? [];
    expect(name).toMatch(/^[A-Z]{2}-\d+.*: ./);
    expect(readFileSync(join(root, file), "utf8")).toContain(name);
  });

  it.each(bounds.map((row) => [row.what ?? "", row.bound ?? "", row.code ?? ""]))(
    "style: %s: %s is the number in the code",
    (_what, bound, code) => {
      const [, name = "", file = ""] = /^\[`(.+)`\]\(\.\.\/(.+)\)$/.exec(code) ?? [];
      expect(written(bound)).toBe(constant(file, name));
    },
  );
});
