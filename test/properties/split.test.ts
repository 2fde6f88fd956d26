import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedMentions } from "../../adapters/discord/outbound/send-once.ts";
import { renderDiscord } from "../../adapters/discord/render.ts";
import { renderSlack } from "../../adapters/slack/render.ts";
import { renderTelegram } from "../../adapters/telegram/render.ts";
import { renderWeb } from "../../adapters/web/render.ts";
import { parseMarkdown } from "../../src/core/text/markdown.ts";
import type { MdNode } from "../../src/core/text/markdown-tree.ts";
import { neutraliseTree } from "../../src/core/text/markdown-tree.ts";
import { plainText } from "../../src/core/text/plain-text.ts";
import { splitMarkdown } from "../../src/core/text/split.ts";
import { checkBody } from "../support/emulators/discord/request-schema.ts";
import { checkLimits } from "../support/emulators/discord/routes/message-content.ts";
import { checkedArgs } from "../support/emulators/slack/request-schema.ts";
import { BROADCAST, LONE_SURROGATE, messyMarkdown } from "./markdown-arbitrary.ts";

const limits = fc.integer({ min: 200, max: 1_200 });
const bare = (text: string): string => text.replaceAll(/[\s>]/g, "");

/** A platform whose decoration costs room: every character escaped, every mark and block written out. */
function decorated(nodes: readonly MdNode[]): number {
  return Buffer.byteLength(renderWeb(nodes).html.replaceAll(/ rel="[^"]*" target="_blank"/g, ""), "utf8") / 3;
}

describe("FC-065, DL-6: any text under any limit of 200 or more", () => {
  const measures: [string, (nodes: readonly MdNode[]) => number][] = [
    ["plain text", (nodes) => plainText(nodes).length],
    ["Telegram's entities", (nodes) => Math.max(renderTelegram(nodes).length, renderTelegram(nodes).entities * 12)],
    ["Telegram, both forms", (nodes) => Math.max(renderTelegram(nodes).length, renderTelegram(nodes).plain.length)],
    ["Discord", (nodes) => renderDiscord(nodes).length],
    ["Slack", (nodes) => renderSlack(nodes).length],
    ["decorated bytes", decorated],
  ];
  it.each(measures)("DL-6: every piece is within the limit and nothing is lost (%s)", (_name, measure) => {
    fc.assert(
      fc.property(messyMarkdown(), limits, (source, limit) => {
        const tree = parseMarkdown(source);
        const pieces = splitMarkdown(tree, { limit, measure });
        for (const piece of pieces) {
          expect(measure(piece)).toBeLessThanOrEqual(limit);
          expect(plainText(piece)).not.toMatch(LONE_SURROGATE);
        }
        expect(bare(pieces.map(plainText).join("\n"))).toBe(bare(plainText(tree)));
      }),
      { numRuns: 300 },
    );
  });

  it("DL-6: a piece that was cut fits as it is and is not cut again", () => {
    fc.assert(
      fc.property(messyMarkdown(), limits, (source, limit) => {
        const measure = (nodes: readonly MdNode[]): number => plainText(nodes).length;
        for (const piece of splitMarkdown(source, { limit, measure })) {
          expect(splitMarkdown(piece, { limit, measure })).toEqual([piece]);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Tags that may stand inside each tag; a small check of its own, independent of the renderer. */
function wellFormedness(html: string, allowed: RegExp): string | null {
  const open: string[] = [];
  const text = html.replace(
    /<(\/?)([a-z0-9-]+)((?: [a-z-]+(?:="[^"<>]*")?)*)>/g,
    (whole, slash: string, name: string) => {
      if (!allowed.test(whole)) open.push(`forbidden ${whole}`);
      if (name === "br" || name === "hr" || name === "input") return "";
      if (slash === "") open.push(name);
      else if (open.pop() !== name) open.push(`misplaced ${whole}`);
      return "";
    },
  );
  if (open.length > 0) return open.join(", ");
  if (/[<>]/.test(text)) return "bare angle bracket";
  return /&(?!(?:amp|lt|gt|quot|#39);)/.test(text) ? "bare ampersand" : null;
}

const CODE_IN_A_MARK = /<(b|i|s|a|code|pre)\b(?:(?!<\/\1>)[\s\S])*<(?:code|pre)\b/;
const QUOTE_IN_A_QUOTE = /<blockquote>(?:(?!<\/blockquote>)[\s\S])*<blockquote>/;
const TELEGRAM_TAG =
  /^<\/?(?:b|i|u|s|tg-spoiler|code|pre|blockquote)>$|^<code class="language-[^"]+">$|^<a href="(?:https?:|tg:)[^"]*">$|^<\/a>$/i;
const WEB_TAG =
  /^<\/?(?:p|h[1-6]|pre|code|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|strong|em|del|a|br|hr|figure|label|span)>$|^<code class="language-[\w+#.-]+">$|^<figure class="(?:code|wide)">$|^<span class="spoiler" tabindex="0">$|^<ol start="\d+">$|^<li class="continued">$|^<t[hd] class="align-(?:left|right|center)">$|^<input type="checkbox" disabled(?: checked)?>$|^<a href="(?:https?:|mailto:)[^"]*" rel="noopener noreferrer nofollow" target="_blank">$/i;

describe("DL-7: any text renders to valid markup", () => {
  it("DL-7, DL-8: Telegram: only allowed tags, well nested, code alone, no ping, the counted length", () => {
    fc.assert(
      fc.property(messyMarkdown(), limits, (source, limit) => {
        const measure = (nodes: readonly MdNode[]): number => renderTelegram(nodes).length;
        for (const piece of splitMarkdown(neutraliseTree(parseMarkdown(source)), { limit, measure })) {
          const { html, length, plain } = renderTelegram(piece);
          expect(wellFormedness(html, TELEGRAM_TAG)).toBeNull();
          expect(html.replaceAll("<pre><code", "<pre")).not.toMatch(CODE_IN_A_MARK);
          expect(html).not.toMatch(QUOTE_IN_A_QUOTE);
          expect(html).not.toMatch(/<([a-z]+)[^>]*><\/\1>/);
          expect(html).not.toMatch(LONE_SURROGATE);
          expect(length).toBeLessThanOrEqual(limit);
          expect(visibleText(html)).toHaveLength(length);
          expect(withoutCode(html)).not.toMatch(BROADCAST);
          expect(plain.replaceAll("\u200b", "")).toBe(plainText(piece).replaceAll("\u200b", ""));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("DL-7, DL-8: Discord: no half character, and the platform accepts every piece, and only mentioned people can be pinged", () => {
    fc.assert(
      fc.property(messyMarkdown(), limits, (source, limit) => {
        const measure = (nodes: readonly MdNode[]): number => renderDiscord(nodes).length;
        for (const piece of splitMarkdown(neutraliseTree(parseMarkdown(source)), { limit, measure })) {
          const { markdown, length, plain } = renderDiscord(piece);
          expect(length).toBeLessThanOrEqual(limit);
          expect(plain).toBe(plainText(piece));
          expect(markdown).not.toMatch(LONE_SURROGATE);
          if (markdown.trim() === "") continue;
          checkBody("create_message", { content: markdown, allowed_mentions: allowedMentions(markdown) });
          checkLimits({ content: markdown });
          // Without people of the conversation no one is mentioned.
          expect(allowedMentions(markdown)).toMatchObject({ parse: [], users: [] });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("DL-7, DL-8: Slack: no half character, nothing in angle brackets but links, and the platform takes every piece", () => {
    fc.assert(
      fc.property(messyMarkdown(), limits, (source, limit) => {
        const measure = (nodes: readonly MdNode[]): number => renderSlack(nodes).length;
        for (const piece of splitMarkdown(neutraliseTree(parseMarkdown(source)), { limit, measure })) {
          const { mrkdwn, length, plain } = renderSlack(piece);
          expect(length).toBeLessThanOrEqual(limit);
          expect(plain).toBe(plainText(piece));
          expect(mrkdwn).not.toMatch(LONE_SURROGATE);
          // People and channels are named by `<@…>`, `<!…>` and `<#…>` alone.
          expect(mrkdwn).not.toMatch(/<(?!https?:|mailto:)/);
          expect(mrkdwn).not.toMatch(/&(?!amp;|lt;|gt;)/);
          if (mrkdwn !== "") checkedArgs("chat.postMessage", { channel: "C1", text: mrkdwn });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("DL-7: web: only known tags and attributes, well nested", () => {
    fc.assert(
      fc.property(messyMarkdown(), (source) => {
        const { html, length, plain } = renderWeb(neutraliseTree(parseMarkdown(source)));
        expect(wellFormedness(html, WEB_TAG)).toBeNull();
        expect(length).toBe(plain.length);
      }),
      { numRuns: 300 },
    );
  });
});

function visibleText(html: string): string {
  const text = html.replace(/<[^>]*>/g, "");
  return text
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}

/** Telegram has no such mentions at all; what stands in code or an address stays as it was written. */
function withoutCode(html: string): string {
  const text = html
    .replace(/<(pre|code)[^>]*>[\s\S]*?<\/\1>/g, "")
    .replace(/<a href="[^"]*">/g, "")
    .replace(/\([^()\s]*\)/g, "");
  return visibleText(text);
}
