import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { assertNever } from "../runtime.ts";
import { decodeEntities } from "./entities.ts";
import { BoundedTokenizer } from "./markdown-tokenizer.ts";
import type { MdBlock, MdInline, MdListItem, MdNode } from "./markdown-tree.ts";

export type { MdAlign, MdBlock, MdCell, MdInline, MdListItem, MdNode } from "./markdown-tree.ts";

/** Deeper nesting is shown as its source; it bounds indentation, recursion and what a renderer must decorate. */
const MAX_DEPTH = 8;
/** Longer texts are files, not messages; they are shown as plain paragraphs. */
const MAX_SOURCE = 512 * 1024;
/** C0 controls other than tab and newline, and DEL: platforms refuse or drop them. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A line of 40 quote marks or bullets; marked would parse it level by level, each over all the rest. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40}/m;
/**
 * Parses model Markdown (CommonMark with GFM) into the one tree that is split and rendered (`DL-7`). Raw HTML becomes
 * plain text (`<br>` a line break), lone surrogates become U+FFFD, control characters go, and a reference definition
 * that no link uses stays visible as text. Never throws: what the parser cannot take becomes plain paragraphs.
 */
export function parseMarkdown(text: string): MdNode[] {
  const source = text.toWellFormed().replace(/\r\n?/g, "\n").replace(CONTROLS, "");
  if (source.length > MAX_SOURCE || DEEP_LINE.test(source)) return plainParagraphs(source);
  try {
    const tokens = new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(source);
    return convertBlocks(tokens, { depth: 0, links: usedLinks(tokens) });
  } catch (error) {
    // The lexer recurses per nesting level and may throw on text built to break it; the text must reach people all the same.
    if (error instanceof Error) return plainParagraphs(source);
    throw error;
  }
}

interface Context {
  readonly depth: number;
  /** Addresses of all links in the text; null when it has no reference definitions. */
  readonly links: ReadonlySet<string> | null;
}

function plainParagraphs(source: string): MdNode[] {
  return source
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== "")
    .map((part) => ({ type: "paragraph", children: [{ type: "text", text: part }] }));
}

/** marked types its tokens as an open union; this lexer has no extensions, so only its own tokens occur. */
function known(token: Token): MarkedToken {
  return token as MarkedToken;
}

function convertBlocks(tokens: readonly Token[], context: Context): MdBlock[] {
  const blocks: MdBlock[] = [];
  for (const token of tokens) {
    const block = convertBlock(known(token), context);
    if (block !== null) blocks.push(block);
  }
  return blocks;
}

function convertBlock(token: MarkedToken, context: Context): MdBlock | null {
  switch (token.type) {
    case "space":
    case "checkbox":
      return null;
    case "paragraph":
      return paragraph(convertInlines(token.tokens, 0));
    case "heading":
      return { type: "heading", level: token.depth, children: convertInlines(token.tokens, 0) };
    case "code":
      return { type: "codeBlock", lang: languageOf(token.lang), text: token.text };
    case "blockquote":
      if (context.depth >= MAX_DEPTH) return textParagraph(token.raw);
      return quote(convertBlocks(token.tokens, deeper(context)));
    case "list":
      return context.depth >= MAX_DEPTH ? textParagraph(token.raw) : convertList(token, context);
    case "table":
      return {
        type: "table",
        align: token.align,
        header: token.header.map((cell) => convertInlines(cell.tokens, 0)),
        rows: token.rows.map((row) => row.map((cell) => convertInlines(cell.tokens, 0))),
      };
    case "hr":
      return { type: "rule" };
    case "html":
      return textParagraph(token.raw);
    case "def":
      return context.links?.has(token.href) ? null : textParagraph(token.raw);
    case "text":
      return paragraph(
        token.tokens === undefined
          ? [{ type: "text", text: decodeEntities(token.text) }]
          : convertInlines(token.tokens, 0),
      );
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
      return textParagraph(token.raw);
    default:
      return assertNever(token);
  }
}

function convertList(token: Tokens.List, context: Context): MdBlock | null {
  const inner = deeper(context);
  const items = token.items.map(
    (item): MdListItem => ({
      checked: item.task ? item.checked === true : null,
      continued: false,
      children: convertBlocks(item.tokens, inner),
    }),
  );
  const start = token.ordered && typeof token.start === "number" ? token.start : 1;
  return { type: "list", ordered: token.ordered, start, loose: token.loose, items };
}

function convertInlines(tokens: readonly Token[], depth: number): MdInline[] {
  const inlines: MdInline[] = [];
  for (const token of tokens) append(inlines, convertInline(known(token), depth));
  return inlines;
}

function convertInline(token: MarkedToken, depth: number): MdInline {
  switch (token.type) {
    case "text":
      return { type: "text", text: decodeEntities(token.text) };
    case "escape":
      return { type: "text", text: token.text };
    case "strong":
    case "em":
    case "del":
      if (depth >= MAX_DEPTH) return { type: "text", text: token.raw };
      return { type: token.type, children: convertInlines(token.tokens, depth + 1) };
    case "codespan":
      return { type: "code", text: token.text };
    case "br":
      return { type: "break" };
    case "link":
      return convertLink(token, depth);
    case "image":
      return { type: "image", url: cleanUrl(decodeEntities(token.href)), alt: decodeEntities(token.text) };
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? { type: "break" } : { type: "text", text: token.raw };
    default:
      return { type: "text", text: token.raw };
  }
}

/** Addresses written bare are literal; only bracketed ones may hold character references. */
function convertLink(token: Tokens.Link, depth: number): MdInline {
  if (token.autolink === true) {
    return { type: "link", url: cleanUrl(token.href), children: [{ type: "text", text: token.text }] };
  }
  if (depth >= MAX_DEPTH) return { type: "text", text: token.raw };
  return { type: "link", url: cleanUrl(decodeEntities(token.href)), children: convertInlines(token.tokens, depth + 1) };
}

/** Merges neighbouring text, so that a mention or a grapheme is never spread over nodes by an escape. */
function append(inlines: MdInline[], next: MdInline): void {
  if (next.type !== "text") {
    inlines.push(next);
    return;
  }
  if (next.text === "") return;
  const last = inlines.at(-1);
  if (last?.type === "text") inlines[inlines.length - 1] = { type: "text", text: last.text + next.text };
  else inlines.push(next);
}

function cleanUrl(url: string): string {
  return url.replace(/[\s\u0000-\u001f\u007f]+/g, "%20");
}

function languageOf(info: string | undefined): string | null {
  return /^[\w+#.-]{1,32}(?![^\s{,:])/.exec(info?.trim() ?? "")?.[0] ?? null;
}

function paragraph(children: MdInline[]): MdBlock | null {
  return children.length === 0 ? null : { type: "paragraph", children };
}

function quote(children: MdBlock[]): MdBlock | null {
  return children.length === 0 ? null : { type: "quote", children };
}

function textParagraph(raw: string): MdBlock | null {
  const text = raw.replace(/^\n+|\s+$/g, "");
  return text === "" ? null : { type: "paragraph", children: [{ type: "text", text }] };
}

function deeper(context: Context): Context {
  return { ...context, depth: context.depth + 1 };
}

/** Addresses that links use, so that a definition nobody refers to (`[Alice]: hi`) is not swallowed. */
function usedLinks(tokens: readonly Token[]): ReadonlySet<string> | null {
  const found = new Set<string>();
  let definitions = false;
  const pending: Token[] = [...tokens];
  for (let token = pending.pop(); token !== undefined; token = pending.pop()) {
    const current = known(token);
    if (current.type === "def") definitions = true;
    else if (current.type === "link" || current.type === "image") found.add(current.href);
    if (current.type === "list") pending.push(...current.items);
    else if (current.type === "table") {
      for (const cell of [...current.header, ...current.rows.flat()]) pending.push(...cell.tokens);
    } else if ("tokens" in current && current.tokens !== undefined) pending.push(...current.tokens);
  }
  return definitions ? found : null;
}
