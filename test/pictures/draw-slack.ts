import { escapeHtml } from "../../src/core/text/plain-text.ts";

/*
 * Draws mrkdwn as Slack describes it (https://docs.slack.dev/messaging/formatting-message-text): blocks of code between fences,
 * lines of quotes, then code, links and marks within a line. A mark opens behind a space or a sign and before a letter, and
 * closes before a space or a sign.
 */

export function drawSlack(payload: string): string {
  const blocks = payload.split(/(```[\s\S]*?```\n?)/);
  return `<div class="chat">${blocks.map((block) => (block.startsWith("```") ? pre(block) : quotes(block))).join("")}</div>`;
}

function pre(block: string): string {
  return `<pre>${unescaped(
    block
      .trimEnd()
      .slice(3, -3)
      .replace(/^\n|\n$/g, ""),
  )}</pre>`;
}

function quotes(text: string): string {
  let html = "";
  let quoted: string[] = [];
  const close = (): void => {
    if (quoted.length > 0) html += `<blockquote>${quoted.map(inline).join("\n")}</blockquote>`;
    quoted = [];
  };
  const rows = text.split("\n");
  rows.forEach((row, index) => {
    const quote = /^(?:>|&gt;) ?(.*)$/.exec(row);
    if (quote !== null) quoted.push(quote[1] ?? "");
    else {
      const after = quoted.length > 0;
      close();
      html += (index > 0 && !after ? "\n" : "") + inline(row);
    }
  });
  close();
  return html;
}

const ATOM = /`([^`\n]+)`|<([^<>|\s]+)(?:\|([^<>]*))?>/g;
/** One sign for each piece of code and each link while marks are looked for; a letter, as Slack's own marks see it. */
const FIRST_ATOM = 0xf0000;
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\p{L}\p{N}\p{Co}*])\*(?=\S)([^*\n]*?[^\s*])\*(?![\p{L}\p{N}\p{Co}*])/u, "b"],
  [/(?<![\p{L}\p{N}\p{Co}_])_(?=\S)([^_\n]*?[^\s_])_(?![\p{L}\p{N}\p{Co}_])/u, "i"],
  [/(?<![\p{L}\p{N}\p{Co}~])~(?=\S)([^~\n]*?[^\s~])~(?![\p{L}\p{N}\p{Co}~])/u, "s"],
];

function inline(row: string): string {
  const atoms: string[] = [];
  const text = row.replace(
    ATOM,
    (_all, code: string | undefined, target: string | undefined, label: string | undefined) => {
      atoms.push(code === undefined ? drawnLink(target ?? "", label) : `<code>${unescaped(code)}</code>`);
      return String.fromCodePoint(FIRST_ATOM + atoms.length - 1);
    },
  );
  return marked(text).replace(/\p{Co}/gu, (sign) => atoms[(sign.codePointAt(0) ?? 0) - FIRST_ATOM] ?? "");
}

/** The first mark that fits, and what is around and in it. */
function marked(text: string): string {
  const [first] = MARKS.flatMap(([mark, tag]) => {
    const match = mark.exec(text);
    return match === null ? [] : [{ match, tag }];
  }).sort((a, b) => a.match.index - b.match.index);
  if (first === undefined) return unescaped(text);
  const { match, tag } = first;
  const after = text.slice(match.index + match[0].length);
  return `${marked(text.slice(0, match.index))}<${tag}>${marked(match[1] ?? "")}</${tag}>${marked(after)}`;
}

function drawnLink(target: string, label: string | undefined): string {
  if (/^[@#!]/.test(target)) return `<mark>${escapeHtml(target)}</mark>`;
  return `<a href="${unescaped(target)}">${unescaped(label ?? target)}</a>`;
}

/** Slack knows three character references and no other; all else is text. */
function unescaped(text: string): string {
  return escapeHtml(text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"));
}
