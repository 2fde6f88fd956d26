import { describe, expect, it } from "vitest";
import { renderWeb } from "../../../adapters/web/render.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";

const html = (source: string): string => renderWeb(parseMarkdown(source)).html;
const LINK = 'rel="noopener noreferrer nofollow" target="_blank"';

describe("DL-7: Markdown as safe HTML", () => {
  it.each([
    ["**b** *i* ~~s~~ `c<d`", "<p><strong>b</strong> <em>i</em> <del>s</del> <code>c&lt;d</code></p>"],
    ["a\nb  \nc", "<p>a<br>b<br>c</p>"],
    ["a ||b **c**||", '<p>a <span class="spoiler" tabindex="0">b <strong>c</strong></span></p>'],
    [
      "- [ ]\n  ```\n  a\n  ```\n- b",
      '<ul><li>[ ]<figure class="code"><pre><code>a</code></pre></figure></li><li>b</li></ul>',
    ],
    ["## Head", "<h2>Head</h2>"],
    ["```js\na < b\n```", '<figure class="code"><pre><code class="language-js">a &lt; b</code></pre></figure>'],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["3. a\n4. b\n   - c", '<ol start="3"><li>a</li><li>b<ul><li>c</li></ul></li></ol>'],
    ["- [x] a", '<ul><li><label><input type="checkbox" disabled checked> a</label></li></ul>'],
    ["[a](http://x?b&c)", `<p><a href="http://x?b&amp;c" ${LINK}>a</a></p>`],
    ["![pic](http://x)", `<p><a href="http://x" ${LINK}>pic</a></p>`],
    ["---", "<hr>"],
    [
      "| a | b |\n|--:|---|\n| 1 | **2** |",
      '<figure class="wide"><table><thead><tr><th class="align-right">a</th><th>b</th></tr></thead>' +
        '<tbody><tr><td class="align-right">1</td><td><strong>2</strong></td></tr></tbody></table></figure>',
    ],
  ])("DL-7: %j", (source, expected) => {
    expect(html(source)).toBe(expected);
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    '[a](http://x"onmouseover="alert(1))',
    "![<b>](javascript:x)",
    '```"><script>\nx\n```',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<http://x'onclick='y>",
  ])("DL-7: %s brings no markup of its own", (source) => {
    const tags = html(source).match(/<[^>]*>/g) ?? [];
    for (const tag of tags)
      expect(tag).toMatch(
        /^<\/?(?:p|pre|code)>$|^<\/?figure(?: class="code")?>$|^<\/a>$|^<a href="http[^"'<>]*" rel="[a-z ]+" target="_blank">$/,
      );
  });

  it("DL-7: plain form and length go with it", () => {
    expect(renderWeb(parseMarkdown("**a** [x](http://y)"))).toMatchObject({ plain: "a x (http://y)", length: 14 });
  });
});
