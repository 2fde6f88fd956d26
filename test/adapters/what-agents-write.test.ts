import { describe, expect, it } from "vitest";
import { renderDiscord } from "../../adapters/discord/render.ts";
import { renderSlack } from "../../adapters/slack/render.ts";
import { MOST_ENTITIES, renderTelegram } from "../../adapters/telegram/render.ts";
import { renderWeb } from "../../adapters/web/render.ts";
import { parseMarkdown } from "../../src/core/text/markdown.ts";
import { plainText } from "../../src/core/text/plain-text.ts";
import { splitMarkdown } from "../../src/core/text/split.ts";

/** What each platform is sent for what an agent wrote. */
function sent(source: string): Record<"discord" | "slack" | "telegram" | "web", string> {
  const nodes = parseMarkdown(source);
  return {
    discord: renderDiscord(nodes).markdown,
    slack: renderSlack(nodes).mrkdwn,
    telegram: renderTelegram(nodes).html,
    web: renderWeb(nodes).html,
  };
}

/** The address of the only link each platform is sent. */
function addresses(source: string): string[] {
  const { discord, slack, telegram, web } = sent(source);
  return [
    /<(h[^>]*)>/.exec(discord),
    /<([^>|]*)/.exec(slack),
    /href="([^"]*)/.exec(telegram),
    /href="([^"]*)/.exec(web),
  ].map((found) => found?.[1] ?? "");
}

describe("FC-214: Chinese, Japanese and Korean", () => {
  it.each([
    ["**标题：**内容", "标题：", "内容"],
    ["**「重要」**です", "「重要」", "です"],
    ["**이 용어(This term)**를", "이 용어(This term)", "를"],
    ["**この文は（強調）。**その後", "この文は（強調）。", "その後"],
  ])("FC-214: emphasis beside full-width punctuation works: %j", (source, bold, rest) => {
    expect(sent(source)).toMatchObject({
      discord: `**${bold}**${rest}`,
      telegram: `<b>${bold}</b>${rest}`,
      web: `<p><strong>${bold}</strong>${rest}</p>`,
    });
    expect(sent(source).slack).toBe(`*${bold}*\u200b${rest}`);
  });

  it("FC-214: only two tildes strike", () => {
    expect(sent("5~10元，约20~30天 ~~旧~~")).toEqual({
      discord: "5\\~10元，约20\\~30天 ~~旧~~",
      slack: "5~10元，约20~30天 ~旧~",
      telegram: "5~10元，约20~30天 <s>旧</s>",
      web: "<p>5~10元，约20~30天 <del>旧</del></p>",
    });
  });

  it.each([
    ["见 https://example.com/docs（中文说明）。", "https://example.com/docs"],
    ["见https://example.com/a。然后", "https://example.com/a"],
    ["「https://example.com/a」と", "https://example.com/a"],
    ["https://example.com/a，再", "https://example.com/a"],
    ["(https://example.com/a_(b)).", "https://example.com/a_(b)"],
    ["**https://example.com/a**", "https://example.com/a"],
    ["https://example.com/*a*?b=_c!", "https://example.com/*a*?b=_c"],
  ])("FC-214: a bare address ends where its sentence goes on: %j", (source, url) => {
    expect(addresses(source)).toEqual([url, url, url, url]);
  });
});

describe("FC-215: Telegram's silent limits", () => {
  it("FC-215: 140 items with two marks each are split at 100 entities, and nothing is lost", () => {
    const nodes = parseMarkdown("- **x** `y`\n".repeat(140));
    const measure = (part: typeof nodes): number => {
      const { length, entities } = renderTelegram(part);
      return Math.max(length, Math.ceil((entities / MOST_ENTITIES) * 4_096));
    };
    const pieces = splitMarkdown(nodes, { limit: 4_096, measure: (part) => measure([...part]) });
    expect(pieces.length).toBe(3);
    for (const piece of pieces) expect(renderTelegram(piece).entities).toBeLessThanOrEqual(MOST_ENTITIES);
    expect(pieces.map(plainText).join("\n")).toBe(plainText(nodes));
  });

  it.each([
    ["[Grafana](http://grafana:3000)", "Grafana (http://grafana:3000)"],
    ["[here](http://localhost/a)", "here (http://localhost/a)"],
    ["[v6](http://[::1]/a)", "v6 (http://[::1]/a)"],
    ["[write](mailto:a@b.c)", "write (mailto:a@b.c)"],
    ["a@b.c and http://localhost:80", "a@b.c and http://localhost:80"],
    ["[ip](http://10.0.0.1:80/)", '<a href="http://10.0.0.1:80/">ip</a>'],
    ["[x](https://x.example)", '<a href="https://x.example">x</a>'],
  ])("FC-215: an address that Telegram drops is written behind its label: %s", (source, html) => {
    expect(sent(source).telegram).toBe(html);
  });
});

describe("FC-216: long links", () => {
  const url = `https://example.com/${"a".repeat(3_000)}`;

  it("FC-216: a bare link of 3,000 characters is whole on every platform that has room for it", () => {
    expect(addresses(`see ${url} there`)).toEqual([url, url, url, url]);
  });

  it.each([
    ["longer than a piece", url, 2_000],
    ["longer than any link", `https://example.com/${"b".repeat(5_000)}`, 4_000],
  ])("FC-216: a link that is %s leads nowhere instead of elsewhere", (_name, address, limit) => {
    const pieces = splitMarkdown(parseMarkdown(`see ${address} there`), {
      limit,
      measure: (part) => renderDiscord(part).length,
    });
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(renderDiscord(piece).markdown.replaceAll(/`[^`]*`/g, "")).not.toContain("://");
    expect(pieces.map(plainText).join("")).toContain(address.slice(0, 1_000));
  });
});

describe("FC-217: Slack's code marks", () => {
  it.each([
    ["> `a.ts` is wrong", "> \u200b`a.ts` is wrong"],
    ["> **`a.ts`** is wrong", "> \u200b*`a.ts`* is wrong"],
    ["> see `a.ts`", "> see `a.ts`"],
    ["``a`b`` and `c`", "`aˋb` and `c`"],
    ["a \\` b and `c`", "a ˋ b and `c`"],
  ])("FC-217: %j shows its words", (source, mrkdwn) => {
    expect(sent(source).slack).toBe(mrkdwn);
  });
});

describe("FC-218: what a platform draws and is harmless", () => {
  it.each([
    [
      "the end: ||he lives||",
      {
        discord: "the end: ||he lives||",
        slack: "the end: ||he lives||",
        telegram: "the end: <tg-spoiler>he lives</tg-spoiler>",
        web: '<p>the end: <span class="spoiler" tabindex="0">he lives</span></p>',
      },
    ],
    [
      "||**b** c||",
      {
        discord: "||**b** c||",
        telegram: "<tg-spoiler><b>b</b> c</tg-spoiler>",
      },
    ],
    ["a || b || c, a||b||c", { discord: "a \\|\\| b \\|\\| c, a\\|\\|b\\|\\|c", telegram: "a || b || c, a||b||c" }],
    ["at <t:1735689600:R>, <t:1735689600>", { discord: "at <t:1735689600:R>, <t:1735689600>" }],
    [
      "<:party:123456789012345678> <a:go:123456789012345678>",
      { discord: "<:party:123456789012345678> <a:go:123456789012345678>" },
    ],
    ["-# small\n-# print", { discord: "-# small\n-# print" }],
    ["<t:x> <@&123> <:a> </say:123>", { discord: "\\<t:x> \\<@&123> \\<:a> \\</say:123>" }],
  ])("FC-218: %j", (source, expected) => {
    expect(sent(source)).toMatchObject(expected);
  });
});

describe("FC-219: formulas stay as they are written", () => {
  it.each([
    "\\( a_1 + b_2 \\)",
    "\\[ \\sum_{i} x_i * y_i * z \\]",
    "$a*b*c$ and $x_1 < y_1$",
    "$$E = m c^2$$",
    "\\[\na_1 *b* c\n- d\n= e\n\\]",
    "$$\n- a\n+ b\n$$",
  ])("FC-219: %j", (source) => {
    expect(plainText(parseMarkdown(source))).toBe(source);
    expect(renderTelegram(parseMarkdown(source)).html).toBe(source.replaceAll("<", "&lt;"));
    expect(renderDiscord(parseMarkdown(source)).markdown.replaceAll(/\\([^0-9A-Za-z\s])/g, "$1")).toBe(source);
  });

  it.each([
    ["it costs $5 to **$6**", "it costs $5 to <b>$6</b>"],
    ["**$A** and **$B**", "<b>$A</b> and <b>$B</b>"],
    ["from $HOME/*a* to $PATH/*b*", "from $HOME/<i>a</i> to $PATH/<i>b</i>"],
    ["\\(not closed *a*", "(not closed <i>a</i>"],
  ])("FC-219: %j is no formula", (source, html) => {
    expect(renderTelegram(parseMarkdown(source)).html).toBe(html);
  });
});
