import { describe, expect, it } from "vitest";
import { type MdNode, parseMarkdown } from "../../../src/core/text/markdown.ts";
import { isBlank, plainText } from "../../../src/core/text/plain-text.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const text = (value: string) => ({ type: "text", text: value });
const paragraph = (...children: unknown[]) => ({ type: "paragraph", children });

describe("DL-7: Markdown becomes one small tree", () => {
  it("DL-7: inline marks, code, links and breaks", () => {
    expect(parseMarkdown("a **b *c*** ~~d~~ `e<` [f](http://g) ![h](http://i)  \nj")).toEqual([
      paragraph(
        text("a "),
        { type: "strong", children: [text("b "), { type: "em", children: [text("c")] }] },
        text(" "),
        { type: "del", children: [text("d")] },
        text(" "),
        { type: "code", text: "e<" },
        text(" "),
        { type: "link", url: "http://g", children: [text("f")] },
        text(" "),
        { type: "image", url: "http://i", alt: "h" },
        { type: "break" },
        text("j"),
      ),
    ]);
  });

  it("DL-7: blocks: headings, code with language, quotes, rules, tables", () => {
    expect(parseMarkdown("## T\n```ts title\nx\n```\n> q\n\n---\n\n|a|b|\n|:-|-:|\n|1|2|")).toEqual([
      { type: "heading", level: 2, children: [text("T")] },
      { type: "codeBlock", lang: "ts", text: "x" },
      { type: "quote", children: [paragraph(text("q"))] },
      { type: "rule" },
      {
        type: "table",
        align: ["left", "right"],
        header: [[text("a")], [text("b")]],
        rows: [[[text("1")], [text("2")]]],
      },
    ]);
  });

  it("DL-7: lists keep their start, boxes and nesting", () => {
    expect(parseMarkdown("3. a\n   - [x] b\n   - [ ] c\n4. d")).toEqual([
      {
        type: "list",
        ordered: true,
        start: 3,
        loose: false,
        items: [
          {
            checked: null,
            continued: false,
            children: [
              paragraph(text("a")),
              {
                type: "list",
                ordered: false,
                start: 1,
                loose: false,
                items: [
                  { checked: true, continued: false, children: [paragraph(text("b"))] },
                  { checked: false, continued: false, children: [paragraph(text("c"))] },
                ],
              },
            ],
          },
          { checked: null, continued: false, children: [paragraph(text("d"))] },
        ],
      },
    ]);
  });

  it("DL-7: entities are decoded once, escapes are resolved, and the text is one node", () => {
    expect(parseMarkdown("\\@a &lt;b&gt; &amp;lt; &#65; &copy; &nope; \\*")).toEqual([
      paragraph(text("@a <b> &lt; A © &nope; *")),
    ]);
    expect(parseMarkdown("`&lt;`")).toEqual([paragraph({ type: "code", text: "&lt;" })]);
  });

  it("FC-063: raw HTML and unusual angle brackets are plain text", () => {
    expect(plainText(parseMarkdown("A <name@host> <b>x</b> <script>alert(1)</script>"))).toBe(
      "A <name@host> <b>x</b> <script>alert(1)</script>",
    );
    expect(plainText(parseMarkdown("<div>\n**x**\n</div>"))).toBe("<div>\n**x**\n</div>");
    expect(plainText(parseMarkdown("a<br>b"))).toBe("a\nb");
  });

  it("DL-7: a definition that no link uses is not swallowed", () => {
    expect(plainText(parseMarkdown("[Alice]: hi"))).toBe("[Alice]: hi");
    expect(plainText(parseMarkdown("[r]: http://z\n\n[r]"))).toBe("r (http://z)");
  });

  it("DL-7: broken surrogates and control characters never reach a platform", () => {
    expect(plainText(parseMarkdown("a\ud800b\u0000c\u0007d"))).toBe("a\ufffdbcd");
  });

  it.each([
    ["quotes", "> ".repeat(5_000)],
    ["quote marks", ">".repeat(50_000)],
    ["bullets", "- ".repeat(5_000).concat("x")],
    ["emphasis", "_a_".repeat(45_000)],
    ["half emphasis", "__a".repeat(45_000)],
    ["stars", "a*".repeat(20_000)],
    ["links", "[a](".repeat(20_000)],
    ["indentation", Array.from({ length: 250 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
    ["a megabyte", "a **b** ".repeat(130_000)],
  ])("DL-7: hostile nesting of %s is parsed in time and without throwing", (_name, source) => {
    let depth = 0;
    const spent = cpuMs(() => {
      depth = depthOf(parseMarkdown(source));
    });
    expect(depth).toBeLessThan(12);
    // Measured below 1 s; the bare lexer takes ten seconds or overflows the stack.
    expect(spent).toBeLessThan(5_000);
  });
});

describe("DL-10: nothing to read", () => {
  it.each(["", "  \n ", "****", "---", "```\n```", "- \n- ", "\u200b", "> ", "**\u200b**"])(
    "DL-10: %j is blank",
    (source) => {
      expect(isBlank(parseMarkdown(source))).toBe(true);
    },
  );
  it.each(["a", "`x`", "![x](http://y)", "👍", "| a |\n|-|", "."])("DL-10: %j is not", (source) => {
    expect(isBlank(parseMarkdown(source))).toBe(false);
  });
});

it("FC-064: the plain form has labels with addresses, bullets, and aligned tables", () => {
  const source =
    "# T\n[l](http://x) http://y <a@b.c>\n1. a\n   - b\n2. c\n\n> q\n> r\n\n| a | long |\n|--:|:-:|\n| 日本 | `x` |";
  expect(plainText(parseMarkdown(source))).toBe(
    [
      "T",
      "",
      "l (http://x) http://y a@b.c",
      "",
      "1. a",
      "   - b",
      "2. c",
      "",
      "> q",
      "> r",
      "",
      "   a | long",
      "-----|-----",
      "日本 |  x",
    ].join("\n"),
  );
});

function depthOf(nodes: readonly MdNode[]): number {
  let deepest = 0;
  for (const node of nodes) {
    const inner =
      node.type === "quote" ? [node.children] : node.type === "list" ? node.items.map((item) => item.children) : [];
    for (const children of inner) deepest = Math.max(deepest, depthOf(children));
  }
  return deepest + 1;
}
