import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import type { MdNode } from "../../../src/core/text/markdown-tree.ts";
import { plainText } from "../../../src/core/text/plain-text.ts";
import { splitMarkdown } from "../../../src/core/text/split.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const plainLength = (nodes: readonly MdNode[]): number => plainText(nodes).length;
const split = (source: string, limit = 200): (readonly MdNode[])[] =>
  splitMarkdown(source, { limit, measure: plainLength });
const plain = (source: string, limit?: number): string[] => split(source, limit).map(plainText);

describe("DL-6: where a message is cut", () => {
  it("DL-6: a text that fits is the very tree that was given, measured once", () => {
    const nodes = parseMarkdown("a\n\nb");
    let measured = 0;
    const measure = (part: readonly MdNode[]): number => {
      measured += 1;
      return plainLength(part);
    };
    const pieces = splitMarkdown(nodes, { limit: 200, measure });
    expect(pieces).toEqual([nodes]);
    expect(pieces[0]).toBe(nodes);
    expect(measured).toBe(1);
  });

  it("FC-172: at the limit one piece, one over it two", () => {
    expect(plain("a".repeat(200))).toHaveLength(1);
    expect(plain("a".repeat(201))).toEqual(["a".repeat(200), "a"]);
  });

  it("DL-6: cuts between paragraphs first", () => {
    const [first, second] = ["a".repeat(120), "b".repeat(120)];
    expect(plain(`${first}\n\n${second}`)).toEqual([first, second]);
  });

  it("DL-6: then at lines, sentences and words", () => {
    expect(plain(`${"x".repeat(150)}\n${"y ".repeat(60)}`)[0]).toBe("x".repeat(150));
    expect(plain(`${"x ".repeat(60)}end. ${"y ".repeat(60)}`)[0]).toMatch(/end\.$/);
    expect(plain("word ".repeat(80)).every((piece) => /^(?:word ?)+$/.test(piece))).toBe(true);
    expect(plain(`${"字".repeat(150)}。${"字".repeat(150)}`)[0]).toMatch(/。$/);
  });

  it("DL-6: never inside a grapheme or a surrogate pair", () => {
    for (const unit of ["😀", "👨‍👩‍👧‍👦", "e\u0301", "🇩🇪", "क्षि"]) {
      const pieces = plain(`x${unit.repeat(150)}`);
      expect(pieces.length).toBeGreaterThan(1);
      for (const piece of pieces) expect(piece.replace("x", "").replaceAll(unit, "")).toBe("");
    }
  });

  it("DL-6: a grapheme longer than a piece is cut between code points, and splitting ends", () => {
    const pieces = plain(`a${"\u0301".repeat(1_000)}`);
    expect(pieces.join("")).toBe(`a${"\u0301".repeat(1_000)}`);
    expect(pieces).toHaveLength(6);
  });

  it("DL-6: never inside a link; one that is longer than a piece becomes text", () => {
    const link = "[the label](https://example.org/path)";
    for (const piece of split(`${"x ".repeat(85)}${link} ${"y ".repeat(85)}${link}`)) {
      const links = piece
        .flatMap((node) => (node.type === "paragraph" ? node.children : []))
        .filter((c) => c.type === "link");
      for (const found of links)
        expect(plainText([{ type: "paragraph", children: [found] }])).toBe("the label (https://example.org/path)");
    }
    const long = `https://example.org/${"p".repeat(400)}`;
    expect(plain(`[l](${long})`).join("").replaceAll(/\s/g, "")).toBe(`l(${long})`);
  });

  it("DL-6: marks are closed at the cut and opened again", () => {
    const pieces = split(`**${"bold ".repeat(80)}end**`);
    expect(pieces.length).toBeGreaterThan(1);
    for (const [node] of pieces) expect(node).toMatchObject({ type: "paragraph", children: [{ type: "strong" }] });
  });
});

describe("DL-6, FC-065: blocks that are cut", () => {
  it("DL-6: code is cut at lines and reopened with its language, indentation kept", () => {
    const code = Array.from({ length: 40 }, (_, line) => `    line ${line}`).join("\n");
    const pieces = split(`\`\`\`py\n${code}\n\`\`\``);
    expect(
      pieces.every((piece) => piece.length === 1 && piece[0]?.type === "codeBlock" && piece[0].lang === "py"),
    ).toBe(true);
    expect(pieces.map(plainText).join("\n")).toBe(code);
  });

  it("FC-065: a fence with a very long info string keeps every piece within the limit", () => {
    const pieces = split(`\`\`\`${"x".repeat(300)}\n${"y\n".repeat(300)}\`\`\``);
    for (const piece of pieces) expect(plainLength(piece)).toBeLessThanOrEqual(200);
    expect(pieces.map(plainText).join("\n").replaceAll(/\s/g, "")).toBe("y".repeat(300));
  });

  it("DL-6: an ordered list goes on with its numbers, and the rest of an item has none", () => {
    const items = Array.from({ length: 30 }, (_, index) => `${index + 1}. item ${index + 1}`).join("\n");
    expect(plain(items).join("\n")).toBe(items);
    const pieces = plain(`1. ${"long ".repeat(70)}\n2. next`);
    expect(pieces[0]).toMatch(/^1\. long/);
    expect(pieces[1]).toMatch(/^ {3}long/);
    expect(pieces.at(-1)).toMatch(/\n2\. next$/);
  });

  it("DL-7: a table that does not fit becomes an aligned code block", () => {
    const rows = Array.from({ length: 30 }, (_, index) => `| row ${index} | x |`).join("\n");
    const pieces = split(`| name | v |\n|-|-|\n${rows}`);
    expect(pieces.every((piece) => piece.every((node) => node.type === "codeBlock"))).toBe(true);
    expect(pieces.map(plainText).join("\n")).toContain("row 9  | x");
  });

  it("DL-6: a heading does not stay behind alone", () => {
    expect(plain(`${"a ".repeat(90).trim()}\n\n# Title\n\n${"b ".repeat(90).trim()}`)).toEqual([
      "a ".repeat(90).trim(),
      `Title\n\n${"b ".repeat(90).trim()}`,
    ]);
  });

  it("DL-6: nothing fits but the text: deep nesting under a tiny limit still ends and loses nothing", () => {
    const source = `${"> - ".repeat(4)}${"word ".repeat(200)}`;
    const pieces = splitMarkdown(source, { limit: 12, measure: plainLength }).map(plainText);
    const bare = (text: string): string => text.replaceAll(/[\s>]/g, "");
    expect(bare(pieces.join(""))).toBe(bare(plainText(parseMarkdown(source))));
  });

  it("DL-6: a long message is split in about linear time", () => {
    const spent = cpuMs(() => {
      for (const unit of ["hello world. ", "a\n\n", "- a b c\n", "x"]) {
        splitMarkdown(unit.repeat(100_000 / unit.length), { limit: 4_096, measure: plainLength });
      }
    });
    // Measured at about 1 s together.
    expect(spent).toBeLessThan(10_000);
  });
});
