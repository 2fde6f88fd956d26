import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderDiscord } from "../../adapters/discord/render.ts";
import { renderSlack } from "../../adapters/slack/render.ts";
import { renderTelegram } from "../../adapters/telegram/render.ts";
import { renderWeb } from "../../adapters/web/render.ts";
import { findCode } from "../../src/core/text/code-regions.ts";
import * as controlWords from "../../src/core/text/control-words.ts";
import * as cut from "../../src/core/text/cut.ts";
import { findBreak, findCodeBreak } from "../../src/core/text/cut.ts";
import * as leaks from "../../src/core/text/leak-scan.ts";
import { type MdNode, parseMarkdown } from "../../src/core/text/markdown.ts";
import { convertInlines, inlineTokens } from "../../src/core/text/markdown-inline.ts";
import { bareLinks, endOfUrl } from "../../src/core/text/markdown-marks.ts";
import { neutraliseMentions, neutraliseTree } from "../../src/core/text/markdown-tree.ts";
import { mentionPeople, mentionsAnyone } from "../../src/core/text/mention-people.ts";
import * as plain from "../../src/core/text/plain-text.ts";
import { asTyped, escapeHtml } from "../../src/core/text/plain-text.ts";
import * as promptWords from "../../src/core/text/prompt-words.ts";
import { escapeMarkers, withoutEnvelope } from "../../src/core/text/prompt-words.ts";
import { createRedactor, createSecretMask } from "../../src/core/text/redact.ts";
import { sanitise, sanitiseOnce } from "../../src/core/text/sanitise.ts";
import * as search from "../../src/core/text/search-query.ts";
import { isLongerThan, splitMarkdown } from "../../src/core/text/split.ts";
import { createStreamSanitiser } from "../../src/core/text/stream-sanitiser.ts";
import * as visible from "../../src/core/text/visible.ts";
import { markdownSource } from "../../src/delivery/markdown-source.ts";
import { PLAIN_RENDERER } from "../../src/delivery/pacing.ts";
import { cpuMs } from "../support/cpu-time.ts";

/** What is measured: made ready outside of the measured time. */
type Work = (text: string) => () => unknown;

const direct =
  (work: (text: string) => unknown): Work =>
  (text) =>
  () =>
    work(text);
/** The trees of the texts, each parsed once for all that work on them. */
const trees = new Map<string, readonly MdNode[]>();
const onTree =
  (work: (nodes: readonly MdNode[]) => unknown): Work =>
  (text) => {
    const nodes = trees.get(text) ?? parseMarkdown(text);
    trees.set(text, nodes);
    return () => work(nodes);
  };
const inTheMiddle =
  (work: (text: string, at: number) => unknown): Work =>
  (text) =>
  () =>
    work(text, Math.floor(text.length / 2));
/** Both sizes fill all the pieces, so that the same number of cuts is made. */
const splitFor = (measure: (nodes: readonly MdNode[]) => number): Work =>
  onTree((nodes) => splitMarkdown(nodes, { limit: 400, measure, most: 8 }));
const terms = search.parseSearchQuery('a "b a" c*');
const redact = createRedactor(["configured-secret"]);
const mask = createSecretMask(["configured-secret"]);

/** As many people as a conversation is asked for, whose names have all lengths. */
const MENTIONABLE = Array.from({ length: 300 }, (_one, at) => ({
  id: String(at),
  names: ["x".repeat((at % 60) + 1), `n${at}`],
}));

/** Every exported function of core/text and every renderer. One that is not here, and not below, fails the first test. */
const FUNCTIONS: Readonly<Record<string, Work>> = {
  bareLinks: direct(bareLinks),
  endOfUrl: direct((text) => endOfUrl(text, 0, text.length)),
  findBreak: direct((text) => findBreak(text, text.length)),
  findCodeBreak: direct((text) => findCodeBreak(text, text.length)),
  findCode: direct((text) => {
    const code = findCode(text);
    for (let region = code.next(0); region !== null; region = code.next(region.end));
    return code.hasOpenFence(0);
  }),
  isSilent: direct(controlWords.isSilent),
  stripControlWords: direct((text) => controlWords.stripControlWords(`${text}NO_REPLY${text}x`)),
  couldBecomeControlWord: direct(controlWords.couldBecomeControlWord),
  visibleBeforeControlWord: direct(controlWords.visibleBeforeControlWord),
  cutText: inTheMiddle(cut.cutText),
  cutBytes: inTheMiddle(cut.cutBytes),
  cutMiddle: inTheMiddle(cut.cutMiddle),
  utf8Length: direct((text) => cut.utf8Length(text)),
  codePointFloor: inTheMiddle(cut.codePointFloor),
  codePointCeil: inTheMiddle(cut.codePointCeil),
  graphemeFloor: inTheMiddle(cut.graphemeFloor),
  graphemeCeil: inTheMiddle(cut.graphemeCeil),
  excerptAround: inTheMiddle((text, at) => cut.excerptAround(text, { start: at, end: at + 5 }, text.length - 10)),
  asTyped: direct(asTyped),
  escapeHtml: direct(escapeHtml),
  nextLeak: direct((text) => leaks.nextLeak(text, 0)),
  mayLeak: direct(leaks.mayLeak),
  findLeakTokens: direct(leaks.findLeakTokens),
  inlineTokens: direct((text) => inlineTokens(text, {})),
  convertInlines: direct((text) => convertInlines(text, {}, new Set())),
  parseMarkdown: direct(parseMarkdown),
  escapeMarkers: direct(escapeMarkers),
  promptLine: direct(promptWords.promptLine),
  promptLabel: direct(promptWords.promptLabel),
  promptName: direct(promptWords.promptName),
  promptQuote: direct(promptWords.promptQuote),
  promptEntry: direct((text) => promptWords.promptEntry(text, text)),
  withoutEnvelope: direct((text) => [
    withoutEnvelope(`[Message from${text}`),
    withoutEnvelope(`[Message from a] ${text}`),
  ]),
  neutraliseMentions: direct(neutraliseMentions),
  neutraliseTree: onTree(neutraliseTree),
  mentionPeople: onTree((nodes) => mentionPeople(nodes, MENTIONABLE)),
  mentionsAnyone: onTree(mentionsAnyone),
  plainText: onTree(plain.plainText),
  plainInlines: onTree((nodes) =>
    nodes.map((node) => (node.type === "paragraph" ? plain.plainInlines(node.children) : "")),
  ),
  isBlank: onTree(plain.isBlank),
  isEmpty: onTree(plain.isEmpty),
  labelled: direct((text) => plain.labelled(text, text)),
  tableAsText: onTree((nodes) => nodes.map((node) => (node.type === "table" ? plain.tableAsText(node) : ""))),
  createRedactor: direct(redact),
  createSecretMask: direct(mask),
  sanitise: direct((text) => sanitise(`<think>x</think>${text}`)),
  sanitiseOnce: direct((text) => sanitiseOnce(`<think>x</think>${text}`, { growing: true })),
  wordsOf: direct((text) => search.wordsOf(text)),
  parseSearchQuery: direct(search.parseSearchQuery),
  matchText: direct((text) => search.matchText(text, terms)),
  matchWords: (text) => {
    const words = search.wordsOf(text);
    return () => search.matchWords(words, terms, text.length);
  },
  scoreText: direct((text) => search.scoreText(text, terms)),
  splitMarkdown: splitFor((nodes) => plain.plainText(nodes).length),
  isLongerThan: onTree((nodes) => isLongerThan(nodes, Number.POSITIVE_INFINITY)),
  createStreamSanitiser: direct((text) => {
    const stream = createStreamSanitiser();
    for (let at = 0; at < text.length; at += 16) stream.push(text.slice(at, at + 16));
    return stream.end();
  }),
  visibleText: direct((text) => visible.visibleText(text)),
  visibleLine: direct((text) => visible.visibleLine(text)),
  quotedName: direct((text) => visible.quotedName(text)),
  quotedInChat: direct((text) => visible.quotedInChat(text)),
  nameInChat: direct((text) => visible.nameInChat(text)),
  visibleJson: direct((text) => visible.visibleJson(text)),
  markdownSource: onTree(markdownSource),
  PLAIN_RENDERER: onTree(PLAIN_RENDERER.render),
  renderDiscord: onTree(renderDiscord),
  renderSlack: onTree(renderSlack),
  renderTelegram: onTree(renderTelegram),
  renderWeb: onTree(renderWeb),
  "splitMarkdown for Discord": splitFor((nodes) => renderDiscord(nodes).length),
  "splitMarkdown for Slack": splitFor((nodes) => renderSlack(nodes).length),
  "splitMarkdown for Telegram": splitFor((nodes) => renderTelegram(nodes).length),
};

/** Exported functions that read no foreign text by themselves. */
const NOT_LISTED: Readonly<Record<string, string>> = {
  largestFitting: "searches numbers",
  isSpace: "takes one character",
  findMarks: "takes the state of inlineTokens",
  rewriteTexts: "walks for neutraliseTree and mentionPeople",
  cutBlocks: "cuts for splitMarkdown",
  cutInlines: "cuts for splitMarkdown",
  Output: "collects for sanitise",
};

const repeated = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length));
const UNITS = [
  ..." |\t|\u00a0|\n|a|`|``a|[|]|![|(|<|>|\\|\"|'|$|&|@|:|#|=|~|*|_|漢|。|e\u0301|\ud83d\ude00".split("|"),
  ...[
    "|",
    "||a",
    "<|a",
    "**a",
    "__a",
    "_a_",
    "a*",
    "~~a",
    "[a](",
    "![a](",
    "[a][",
    "[![a](b)](c)",
    "[](\\(",
    "[a [b](c) d](e)",
  ],
  ...[
    "> ",
    "- ",
    "1. ",
    "> a\n",
    "- a\n",
    "a\n",
    "a\n\n",
    "    a\n",
    "  - a\n",
    "# a\n",
    "---\n",
    "a\n===\n",
    "```\n",
    "```a\n~~~\n",
  ],
  ...[
    "| a | b |\n|--|--|\n",
    "|a|\n",
    "a|b\n-|-\n",
    "[a]: b\n",
    "[a]: x '\n",
    "<a ",
    "<b>x</b>",
    "<div>\n",
    "<!--",
    "<?",
    "<http://a",
  ],
  ...[
    "https://a.b/",
    "http:",
    "://",
    "www.a.b ",
    "a@b.c ",
    "a@",
    "&amp;",
    "\\(",
    "\\[\na\n",
    "$a",
    "$$",
    "`a` ",
    "a  \n",
    "标题：**内",
  ],
  ...[
    "<think>",
    "</think>",
    "<think>a</think>",
    "`<think>` ",
    "[Tool Call:",
    "<minimax:",
    "NO_REPLY ",
    "no_reply",
    " NO\\_",
    '"a" ',
  ],
  ...[
    "sk-",
    "eyJa.",
    "Bearer ",
    "password=",
    "a://b:",
    "-----BEGIN ",
    "1:",
    "xoxb-",
    "token=",
    "[System",
    "@everyone",
    "[ ",
  ],
];
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(UNITS.map((unit) => [JSON.stringify(unit), repeated(unit)])),
  "nested lists": (size) => {
    const depth = Math.floor(Math.sqrt(size));
    return Array.from({ length: depth }, (_, at) => `${"  ".repeat(at)}- a\n`).join("");
  },
  "nested brackets": (size) => `${"[".repeat(size / 2)}a${"]".repeat(size / 2)}`,
  "nested images": (size) => `${"![".repeat(size / 6)}${"](x)".repeat(size / 6)}`,
  "a quote that goes on": (size) => `${">".repeat(30)}a\n${"a\n".repeat(size / 2)}`,
  "opened, then closed": (size) => `${"*a ".repeat(size / 6)}${"a* ".repeat(size / 6)}`,
  "a wide table with short rows": (size) =>
    `|${"a|".repeat(size / 8)}\n|${"-|".repeat(size / 8)}\n${"|a|\n".repeat(size / 8)}`,
  "fences of all sizes": (size) =>
    Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, at) => `${"`".repeat(at + 3)}a\n`).join(""),
  "spaces inside a line": (size) => `a${" ".repeat(size)}b`,
  "NBSP inside a line": (size) => `a${"\u00a0".repeat(size)}b`,
  "line ends inside a text": (size) => `a${"\n".repeat(size)}b`,
  "a long address": (size) => `https://a.b/${"(".repeat(size / 2)}${")".repeat(size / 2)}`,
};

const SMALL = 4_000;
/** Milliseconds at four times the size that quadratic work over single characters cannot keep to. */
const AT_ONCE = 25;
/** Linear work makes four times as much of it, quadratic work sixteen times. */
const BOUND = 9;

function isLinear(work: Work, shape: (size: number) => string): boolean {
  const large = work(shape(4 * SMALL));
  if (cpuMs(large) < AT_ONCE) return true;
  const small = work(shape(SMALL));
  const best = (one: () => unknown): number => Math.min(...Array.from({ length: 2 }, () => cpuMs(one)));
  // A busy machine stretches single measurements; what is quadratic stays so in every round.
  for (let round = 0; round < 3; round += 1) {
    const cost = best(large);
    if (cost < AT_ONCE || cost / Math.max(best(small), 1) < BOUND) return true;
  }
  return false;
}

it("FC-402: every exported function of core/text is measured, or said to read no foreign text", async () => {
  const folder = fileURLToPath(new URL("../../src/core/text", import.meta.url));
  const names: string[] = [];
  for (const file of readdirSync(folder)) {
    const loaded = (await import(`${folder}/${file}`)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(loaded)) if (typeof value === "function") names.push(name);
  }
  expect(names.filter((name) => !(name in FUNCTIONS) && !(name in NOT_LISTED))).toEqual([]);
  expect(Object.keys(NOT_LISTED).filter((name) => !names.includes(name))).toEqual([]);
});

describe("FC-402: four times the text costs about four times the work", () => {
  it("FC-402: the measure sees quadratic work", () => {
    const quadratic = direct((text) => /\s+$/.test(text));
    expect(isLinear(quadratic, (size) => `${" ".repeat(size / 2)}x`)).toBe(false);
  });

  it.each(Object.entries(FUNCTIONS))(
    "FC-402: %s is linear on runs of anything",
    (_name, work) => {
      const bad = Object.entries(SHAPES).filter(([, shape]) => !isLinear(work, shape));
      expect(bad.map(([name]) => name)).toEqual([]);
    },
    120_000,
  );
});
