import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import type { Tree } from "../../config/load/value-tree.ts";
import { faultLines } from "../unit/config/fault-lines.ts";
import { allPages, blocksOf } from "./pages.ts";

const snippets = allPages().flatMap((page) => blocksOf(page).filter((block) => block.language === "json5"));

/** Every variable a snippet asks for, as if the reader had set it. */
function environmentOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  return Object.fromEntries(names.map((name) => [name, `value-of-${name}-0123456789`]));
}

describe("configuration snippets", () => {
  it.each(snippets.map((block) => [`${block.page}:${block.from}`, block] as const))(
    "OP-2: %s passes config check as it is",
    (_place, block) => {
      const text = block.lines.join("\n");
      expect(faultLines(JSON5.parse<Tree>(text), { env: environmentOf(text) })).toEqual([]);
    },
  );

  it("OP-2: there are snippets on the pages", () => {
    expect(snippets.length).toBeGreaterThan(20);
  });
});
