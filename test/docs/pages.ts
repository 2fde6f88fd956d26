import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Page {
  /** From the repository's root, such as `docs/limits.md`. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  readonly language: string;
  /** Without the fence and its indentation. */
  readonly lines: readonly string[];
  /** Index of the first line after the opening fence. */
  readonly from: number;
  readonly indent: string;
}

/** A command that a page shows, with what the page says it prints. */
export interface Shown {
  readonly page: string;
  readonly command: string;
  readonly output: readonly string[];
  /** Index of the first output line in the page. */
  readonly from: number;
  readonly indent: string;
}

/** Every page a person reads, the contract's chapters included. */
export function allPages(): readonly Page[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  const atTop = readdirSync(root).filter((name) => name.endsWith(".md"));
  return [...atTop, ...below].sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The fenced blocks of a page, also those inside a list. */
export function blocksOf({ path, text }: Page): readonly Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^( *)```(\w*)$/.exec(lines[at] ?? "");
    if (fence === null) continue;
    const [, indent = "", language = ""] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`${path}:${at + 1}: the block is never closed`);
    const inside = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ page: path, language, lines: inside, from: at + 1, indent });
    at = end;
  }
  return blocks;
}

/** The commands of a page: lines after `$ ` in `console` blocks, and every line of `sh` blocks (whose output is not shown). */
export function commandsOf(page: Page): readonly Shown[] {
  return blocksOf(page).flatMap((block) =>
    block.language === "console" ? inConsole(block) : block.language === "sh" ? inScript(block) : [],
  );
}

function inConsole(block: Block): Shown[] {
  const shown: (Omit<Shown, "output"> & { output: string[] })[] = [];
  block.lines.forEach((line, at) => {
    if (line.startsWith("$ ")) {
      const { page, indent } = block;
      shown.push({ page, indent, command: line.slice(2), output: [], from: block.from + at + 1 });
    } else shown.at(-1)?.output.push(line);
  });
  return shown;
}

function inScript(block: Block): Shown[] {
  return block.lines
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((command) => command !== "")
    .map((command) => ({ page: block.page, command, output: [], from: block.from, indent: block.indent }));
}

/** The anchors GitHub makes of a page's headings. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ""] of text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}
