import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderDiscord } from "../../../adapters/discord/render.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import type { MdNode } from "../../../src/core/text/markdown-tree.ts";
import { neutraliseTree } from "../../../src/core/text/markdown-tree.ts";
import { plainText } from "../../../src/core/text/plain-text.ts";
import { splitMarkdown } from "../../../src/core/text/split.ts";
import { BROADCAST, LONE_SURROGATE, messyMarkdown } from "../../properties/markdown-arbitrary.ts";

const shown = (source: string): string => renderDiscord(parseMarkdown(source)).markdown;

describe("DL-7: Markdown as Discord Markdown", () => {
  it.each([
    ["**b** *i* ~~s~~ `c<d`", "**b** *i* ~~s~~ `c<d`"],
    ["***both***", "***both***"],
    ["**a *b* c**", "**a *b* c**"],
    ["**a***b*", "**a**\u200b*b*"],
    ["a_b_c and 2\\*3\\*4", "a\\_b\\_c and 2\\*3\\*4"],
    ["\\# no heading", "\\# no heading"],
    ["1\\. no list\n\\- nor this", "1\\. no list\n\\- nor this"],
    ["[a `q`](http://x/?a=1&b=2)", "[a `q`](<http://x/?a=1&b=2>)"],
    ["see https://x.example/a_b_c", "see <https://x.example/a_b_c>"],
    ["[a](http://x/a_(b))", "[a](<http://x/a_%28b%29>)"],
    ["[http://good](http://evil)", "http://good (<http://evil>)"],
    ["![pic](http://x/y.png)", "[pic](<http://x/y.png>)"],
    ["# Head **x**", "# Head **x**"],
    ["#### Deep", "**Deep**"],
    ["```js\na < b\n```", "```js\na < b\n```"],
    ["````\n```\n````", "```\n``\u200b`\u200b\n```"],
    ["`` a`b ``", "``a`b``"],
    ["> a\n> b", "> a\n> b"],
    ["> a\n>\n> > b", "> a\n> \n> b"],
    ["- a\n- b\n  1. c\n  2. d", "- a\n- b\n  1. c\n  2. d"],
    ["- [x] a\n- [ ] b", "- ☑ a\n- ☐ b"],
    ["1. a\n   ```\n   x\n   ```\n2. b", "1. a\n```\nx\n```\n2. b"],
    ["| a | b |\n|--:|---|\n| 1 | 2 |", "```\n  a | b\n----|----\n  1 | 2\n```"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["a  \nb\nc", "a\nb\nc"],
    ["[none]() [*none*]()", "none none"],
    ["[![pic](http://a/b.png)](http://x)", "[pic](<http://x>)"],
    ["a || b || c, \\|\\|x\\|\\|", "a \\|\\| b \\|\\| c, \\|\\|x\\|\\|"],
    [
      "hello <@123456789012345678>, see <#123456789012345678>",
      "hello \\<@123456789012345678>, see <#123456789012345678>",
    ],
  ])("DL-7: %j", (source, expected) => {
    expect(shown(source)).toBe(expected);
  });

  it.each([
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[a](src/x.ts)", "a (src/x.ts)"],
  ])("DL-7: %s is no link", (source, expected) => {
    expect(shown(source)).toBe(expected);
  });

  it("DL-6: the length counts marks and escapes, in UTF-16 units", () => {
    expect(renderDiscord(parseMarkdown("**a** _ 😀")).length).toBe("**a** \\_ 😀".length);
  });

  it("DL-7: the plain form of the same piece has no marks and shows the address", () => {
    expect(renderDiscord(parseMarkdown("**a** [x](http://y)")).plain).toBe("a x (http://y)");
  });

  it("DL-7: any text is shown as exactly its characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), (text) => {
        const paragraph: MdNode = { type: "paragraph", children: [{ type: "text", text }] };
        const { markdown } = renderDiscord([paragraph]);
        expect(markdown.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1").trim()).toBe(text.trim());
        expect(markdown).not.toMatch(/(?<!\\)(?:\\\\)*[*_~`|[\]]/);
      }),
      { numRuns: 500 },
    );
  });

  it("DL-6, DL-7, DL-8: any model text fits in 2,000 units, closes its code and pings no one", () => {
    fc.assert(
      fc.property(messyMarkdown(), fc.integer({ min: 300, max: 2_000 }), (source, limit) => {
        const measure = (nodes: readonly MdNode[]): number => renderDiscord(nodes).length;
        for (const piece of splitMarkdown(neutraliseTree(parseMarkdown(source)), { limit, measure })) {
          const { markdown, plain, length } = renderDiscord(piece);
          expect(length).toBe(markdown.length);
          expect(length).toBeLessThanOrEqual(limit);
          expect(markdown).not.toMatch(LONE_SURROGATE);
          expect((markdown.match(/```/g) ?? []).length % 2).toBe(0);
          const outside = markdown
            .replaceAll(/```[\s\S]*?```/g, "")
            .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "")
            .replaceAll(/<https?:[^>]*>/g, "")
            .replaceAll(/\([^()\s]*\)/g, "");
          expect(outside.replaceAll(/\\(.)/g, "$1")).not.toMatch(BROADCAST);
          expect(plain).toBe(plainText(piece));
        }
      }),
      { numRuns: 300 },
    );
  });
});
