import { describe, expect, it } from "vitest";
import { renderTelegram } from "../../../adapters/telegram/render.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";

const html = (source: string): string => renderTelegram(parseMarkdown(source)).html;

describe("DL-7: Markdown as Telegram HTML", () => {
  it.each([
    ["**b** *i* ~~s~~ `c<d`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d</code>"],
    ["***both***", "<i><b>both</b></i>".replace("<i><b>both</b></i>", "<b><i>both</i></b>")],
    ["**a *b* c**", "<b>a <i>b</i> c</b>"],
    ["A <a@b.c> **x** & <y>", "A a@b.c <b>x</b> &amp; &lt;y&gt;"],
    ['[a "q"](http://x.org/?a=1&b=2)', '<a href="http://x.org/?a=1&amp;b=2">a &quot;q&quot;</a>'],
    ["[a](tg://resolve?domain=x)", '<a href="tg://resolve?domain=x">a</a>'],
    ["![pic](http://x.org/y.png)", '<a href="http://x.org/y.png">pic</a>'],
    ["[![pic](a.png)](http://x.org)", '<a href="http://x.org">pic</a>'],
    ["# Head **x**", "<b>Head x</b>"],
    ["```js\na < b\n```", '<pre><code class="language-js">a &lt; b</code></pre>'],
    ["```\na\n```", "<pre>a</pre>"],
    ["> a\n> b", "<blockquote>a\nb</blockquote>"],
    ["> a\n>\n> > b", "<blockquote>a\n\nb</blockquote>"],
    ["- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d"],
    ["- [x] a\n- [ ] b", "☑ a\n☐ b"],
    ["- a\n  b", "• a\n  b"],
    ["1. a\n   ```\n   x\n   ```\n2. b", "1. a\n<pre>x</pre>\n2. b"],
    ["| a | b |\n|--:|---|\n| 1 | 2 |", "<pre>  a | b\n----|----\n  1 | 2</pre>"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["a  \nb\nc", "a\nb\nc"],
  ])("DL-7: %j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it("DL-7: code is part of no other mark, as the Bot API demands", () => {
    expect(html("**a `b` c**")).toBe("<b>a </b><code>b</code><b> c</b>");
    expect(html("[a `b`](http://x.org)")).toBe('<a href="http://x.org">a b</a>');
    expect(html("> `a`")).toBe("<blockquote><code>a</code></blockquote>");
  });

  it.each([
    ["[a](javascript:alert(1))", "a (javascript:alert(1))"],
    ["[a](src/x.ts)", "a (src/x.ts)"],
    ["[a](data:text/html,x)", "a (data:text/html,x)"],
  ])("DL-7: %s is no link", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it("DL-8: a link that would mention a person is text", () => {
    expect(html("[Anna](tg://user?id=42)")).toBe("Anna (tg://user?id=42)");
  });

  it("DL-6: the length is the text's, without tags and with entities as one character", () => {
    expect(renderTelegram(parseMarkdown("**a** & <b> [x](http://long.example)")).length).toBe("a & <b> x".length);
    expect(renderTelegram(parseMarkdown("😀")).length).toBe(2);
  });

  it("FC-064: the plain form of the same piece has no tags and shows the address", () => {
    expect(renderTelegram(parseMarkdown("**a** [x](http://y)")).plain).toBe("a x (http://y)");
  });
});
