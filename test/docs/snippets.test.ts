import JSON5 from "json5";
import { describe, expect, it } from "vitest";
import type { Tree } from "../../config/load/faults.ts";
import { faultLines } from "../unit/config/fault-lines.ts";
import { allPages, blocksOf } from "./pages.ts";

const snippets = allPages().flatMap((page) => blocksOf(page).filter((block) => block.language === "json5"));

/** Every variable a snippet asks for, as if the reader had set it. */
function environmentOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
  return Object.fromEntries(
    names.map((name) => [name, `${formOf(name)}${name.replaceAll("_", "")}0123456789abcdefghijklmnopqr`]),
  );
}

/** Tokens begin as the platform's do, since the check looks at that. */
function formOf(name: string): string {
  if (/^TELEGRAM.*_TOKEN$/.test(name)) return "123456:AA";
  if (/^SLACK_.*BOT_TOKEN$/.test(name)) return "xoxb-1-2-";
  return /^SLACK_.*APP_TOKEN$/.test(name) ? "xapp-1-A1-2-" : "";
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
