import { escapeHtml } from "../../src/core/text/plain-text.ts";

/*
 * Draws Discord's Markdown as Discord describes it (https://support.discord.com/hc/en-us/articles/210298617 and
 * https://docs.discord.com/developers/reference#message-formatting). Blocks stand at the start of a line: headings, small print,
 * lists and quotes; code blocks stand anywhere. Inside a line the first rule that fits wins.
 */

export function drawDiscord(payload: string): string {
  return `<div class="chat">${blocks(payload)}</div>`;
}

const FENCE = /```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i;

function blocks(text: string): string {
  const code = FENCE.exec(text);
  // A fence inside a quote belongs to the quote.
  const quote = /^> /m.exec(text);
  if (code !== null && (quote === null || code.index < quote.index)) {
    const after = text.slice(code.index + code[0].length);
    return `${blocks(text.slice(0, code.index).replace(/\n$/, ""))}<pre>${escapeHtml(code[2] ?? "")}</pre>${blocks(after.replace(/^\n/, ""))}`;
  }
  if (quote !== null) {
    const [quoted = ""] = /^(?:> .*(?:\n|$)|>(?:\n|$))+/.exec(text.slice(quote.index)) ?? [];
    const inside = quoted.replace(/^> ?/gm, "").replace(/\n$/, "");
    const before = text.slice(0, quote.index).replace(/\n$/, "");
    return `${rows(before)}<blockquote>${blocks(inside)}</blockquote>${blocks(text.slice(quote.index + quoted.length))}`;
  }
  return rows(text);
}

function rows(text: string): string {
  if (text === "") return "";
  let html = "";
  let isOpen = false;
  for (const row of text.split("\n")) {
    const heading = /^(#{1,3}) +(\S.*)$/.exec(row);
    const small = /^-# +(\S.*)$/.exec(row);
    const item = /^( *)([*-]|\d+\.) +(\S.*)$/.exec(row);
    if (heading !== null) html += `<div class="h${heading[1]?.length}">${inline(heading[2] ?? "")}</div>`;
    else if (small !== null) html += `<small>${inline(small[1] ?? "")}</small>`;
    else if (item !== null) html += listItem(item);
    else html += `${isOpen ? "\n" : ""}${inline(row)}`;
    isOpen = heading === null && small === null && item === null;
  }
  return html;
}

function listItem([, indent = "", sign = "", text = ""]: RegExpExecArray): string {
  const level = Math.floor(indent.length / 2);
  return `<div class="item" data-level="${level}"><span>${sign === "-" || sign === "*" ? "•" : sign}</span><span>${inline(text)}</span></div>`;
}

type Rule = readonly [pattern: RegExp, draw: (match: RegExpExecArray) => string];

const span =
  (tag: string) =>
  (match: RegExpExecArray): string =>
    `<${tag}>${inline(match[1] ?? match[2] ?? "")}</${tag.split(" ")[0]}>`;

const RULES: readonly Rule[] = [
  [/^\\([^0-9A-Za-z\s])/, (match) => escapeHtml(match[1] ?? "")],
  [
    /^(`+)([\s\S]*?[^`])\1(?!`)/,
    (match) => `<code>${escapeHtml((match[2] ?? "").replace(/^ (?=`)|(?<=`) $/g, ""))}</code>`,
  ],
  [/^<(https?:\/\/[^\s<>]+)>/, (match) => anchor(match[1] ?? "", escapeHtml(match[1] ?? ""))],
  [/^<(?:@[!&]?|#)\d+>|^<a?:\w+:\d+>|^<t:-?\d+(?::\w)?>/, (match) => `<mark>${escapeHtml(match[0])}</mark>`],
  [/^@(?:everyone|here)\b/, (match) => `<mark>${match[0]}</mark>`],
  [
    /^\[((?:\\[\s\S]|[^\\\]])+)\]\(<?(https?:\/\/[^\s<>]*?)>?\)/,
    (match) => anchor(match[2] ?? "", inline(match[1] ?? "")),
  ],
  [/^https?:\/\/[^\s<>]+[^\s<>.,:;"'\])]/, (match) => anchor(match[0], escapeHtml(match[0]))],
  [/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, span("b")],
  [/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, span("u")],
  [
    /^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
    span("i"),
  ],
  [/^~~([\s\S]+?)~~(?!_)/, span("s")],
  [/^\|\|([\s\S]+?)\|\|/, span('span class="spoiler"')],
];

function anchor(url: string, label: string): string {
  return `<a href="${escapeHtml(url)}">${label}</a>`;
}

function inline(text: string): string {
  let html = "";
  let rest = text;
  while (rest !== "") {
    const fitting = RULES.map(([pattern, draw]) => ({ match: pattern.exec(rest), draw })).find(
      (one) => one.match !== null,
    );
    if (fitting?.match != null) {
      html += fitting.draw(fitting.match);
      rest = rest.slice(fitting.match[0].length);
      continue;
    }
    // What begins no rule is text; a long run of letters is taken at once.
    const plain = /^(?:[^\\`<@[h*_~|]+|[\s\S])/u.exec(rest)?.[0] ?? rest;
    html += escapeHtml(plain);
    rest = rest.slice(plain.length);
  }
  return html;
}
