import { expect, it } from "vitest";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import { neutraliseMentions, neutraliseTree } from "../../../src/core/text/markdown-tree.ts";
import { plainText } from "../../../src/core/text/plain-text.ts";

const PING = /@(?:everyone|here|channel)|<!(?:channel|here|everyone|subteam\^)|<@&\d/i;

it.each([
  "@everyone",
  "@here",
  "@Everyone",
  "<!channel>",
  "<!here>",
  "<!everyone|x>",
  "<@&123>",
  "<!subteam^S1|@team>",
  "a@here!",
])("DL-8, FC-176: %s pings nobody and still reads the same", (text) => {
  const inert = neutraliseMentions(`x ${text} y`);
  expect(inert).not.toMatch(PING);
  expect(inert.replaceAll("\u200b", "")).toBe(`x ${text} y`);
  expect(neutraliseMentions(inert)).toBe(inert);
});

it("DL-8: single people and mail addresses stay", () => {
  for (const text of ["<@U123> and <@!42> and @anna", "anna@example.org", "a < b", "<!doctype>"]) {
    expect(neutraliseMentions(text)).toBe(text);
  }
});

it("DL-8: a mention written with escapes or entities is found after parsing; code and addresses stay", () => {
  const nodes = neutraliseTree(
    parseMarkdown("\\@everyone &#64;here **<!chan&#110;el>** `@here` [@here](https://x.y/@here)"),
  );
  const text = plainText(nodes);
  expect(text).toBe("@\u200beveryone @\u200bhere <\u200b!channel> @here @\u200bhere (https://x.y/@here)");
});
