import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderSlack } from "../../../adapters/slack/render.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import { neutraliseTree } from "../../../src/core/text/markdown-tree.ts";

const mrkdwn = (source: string): string => renderSlack(parseMarkdown(source)).mrkdwn;

describe("DL-7: Markdown as Slack mrkdwn", () => {
  it.each([
    ["**b** *i* ~~s~~ `c<d`", "*b* _i_ ~s~ `c&lt;d`"],
    ["***both***", "*_both_*"],
    ["**a *b* c**", "*a* *_b_* *c*"],
    ["A & <y>", "A &amp; &lt;y&gt;"],
    ["[a](http://x/?a=1&b=2)", "<http://x/?a=1&amp;b=2|a>"],
    ["[**a** b](http://x)", "<http://x|a b>"],
    ["**see [a](http://x)**", "*see* *<http://x|a>*"],
    ["https://example.com", "<https://example.com>"],
    ["![pic](http://x/y.png)", "<http://x/y.png|pic>"],
    ["[![pic](http://a/b.png)](http://x)", "<http://x|pic>"],
    ["# Head **x**", "*Head* *x*"],
    ["```js\na < b\n```", "```\na &lt; b\n```"],
    ["> a\n> b", "> a\n> b"],
    ["> a\n>\n> > b", "> a\n> \n> b"],
    ["> a\n> ```\n> x\n> ```", "> a\n> \n```\nx\n```"],
    ["- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d"],
    ["- [x] a\n- [ ] b", "☑ a\n☐ b"],
    ["1. a\n   ```\n   x\n   ```\n2. b", "1. a\n```\nx\n```\n2. b"],
    ["| a | b |\n|--:|---|\n| 1 | 2 |", "```\n  a | b\n----|----\n  1 | 2\n```"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["a  \nb\nc", "a\nb\nc"],
    ["**a\nb**", "*a*\n*b*"],
    ["a ||b **c** d|| e", "a ||b *c* d|| e"],
    ["||b\nc||", "||b||\n||c||"],
    ["**a ||b||**", "*a* ||\u200b*b*||"],
  ])("FC-095: %j", (source, expected) => {
    expect(mrkdwn(source)).toBe(expected);
  });

  it("FC-095: bold, link and ampersand become Slack's, and a mention becomes text", () => {
    expect(mrkdwn("**x** <@U1> a&b [t](http://u)")).toBe("*x* &lt;@U1&gt; a&amp;b <http://u|t>");
  });

  it("DL-7: a mark that touches a letter is set off invisibly, or Slack would not show it", () => {
    expect(mrkdwn("**a**b")).toBe("*a*\u200bb");
    expect(mrkdwn("un**a**")).toBe("un\u200b*a*");
    expect(mrkdwn("(**a**).")).toBe("(*a*).");
  });

  it.each([
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[a](src/x.ts)", "a (src/x.ts)"],
    ["[a](slack://user?team=T&id=U)", "a (slack://user?team=T&amp;id=U)"],
  ])("DL-7: %s is no link", (source, expected) => {
    expect(mrkdwn(source)).toBe(expected);
  });

  it("DL-7: nothing in an address or a label gets out of the link", () => {
    expect(mrkdwn("[a|b>](<http://x/|y>)")).toBe("<http://x/%7Cy|a|b&gt;>");
  });

  it("DL-7: a fence inside code stays inside", () => {
    expect(mrkdwn("````\n```\nx\n````")).toBe("```\n``\u200b`\nx\n```");
  });

  it("DL-7: literal text that looks like a quote is none", () => {
    expect(mrkdwn("\\> a")).toBe("\u200b&gt; a");
  });

  it("DL-6: the length is the text's as it is sent", () => {
    expect(renderSlack(parseMarkdown("**a** & b")).length).toBe("*a* &amp; b".length);
  });

  it("FC-064: the plain form has no marks and shows the address", () => {
    expect(renderSlack(parseMarkdown("**a** [x](http://y)")).plain).toBe("a x (http://y)");
  });

  it("DL-7, DL-8: in any text, only links are in angle brackets and nothing mentions a person", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "**",
        "_",
        "`",
        "```\n",
        "> ",
        "- ",
        "1. ",
        "\n",
        "\n\n",
        "<!channel>",
        "<@U1>",
        "<#C1|x>",
        "&lt;",
      ),
      fc.constantFrom(
        "[a](http://x)",
        "[<!here>](http://x|<!here>)",
        "|a|b|\n|-|-|\n|<!channel>|2|",
        "@channel",
        "&#60;!here&#62;",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { mrkdwn: text, length } = renderSlack(neutraliseTree(parseMarkdown(pieces.join(""))));
        expect(length).toBe(text.length);
        expect(
          text.replace(/<(?:https?:\/\/|mailto:)[^<>|\s]*(?:\|[^<>\n]*)?>/gi, "").replace(/^> /gm, ""),
        ).not.toMatch(/[<>]/);
        expect(text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
        expect((text.match(/^```$/gm) ?? []).length % 2).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
