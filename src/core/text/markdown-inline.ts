import MarkdownIt, { type Env, type StateInline, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { bareLinks, endOfUrl, findMarks, LONGEST_URL, type Marks } from "./markdown-marks.ts";
import type { MdInline } from "./markdown-tree.ts";

/** The longest formula. */
const WINDOW = 2_000;
const TEXT = /[^\n!$&*:<[\\\]`_|~]+/y;
const BREAK = /<br\s{0,9}\/?>/iy;
const TAG = /<[/!]?[a-zA-Z][a-zA-Z0-9-]{0,40}(?:[\s/][^<>]{0,500})?>/y;
const AUTOLINK = /<([a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]{0,4096})>/y;
const MAIL = /<([\w.!#$%&'*+/=?^{|}~-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\.[a-zA-Z0-9-]{1,63}){1,8})>/y;
/** Content of `$…$`: no line end, no code, no bold; not blank at its edges, so that prices stay prices. */
const DOLLARS = /\$(?=[^\s$])(?:[^$\n`*\\]|\\[^\n]|\*(?!\*)){1,400}\$(?![\w$])/y;

type Rule = (state: StateInline, silent: boolean) => boolean;

/** What the rules find out about one run; the parser hands it on with the run's state. */
interface Run extends Env {
  marks: Marks | null;
  /** Where each closing sign stands next. Asked from left to right, so that each is searched for once. */
  readonly closers: Map<string, number>;
}

function runOf(state: StateInline): Run {
  return state.env as Run;
}

function marks(state: StateInline): Marks {
  const run = runOf(state);
  run.marks ??= findMarks(state);
  return run.marks;
}

function nextCloser(state: StateInline, closer: string, from: number): number {
  const { closers } = runOf(state);
  let found = closers.get(closer) ?? -1;
  if (found < from) {
    found = state.src.indexOf(closer, from);
    if (found === -1) found = Number.POSITIVE_INFINITY;
    closers.set(closer, found);
  }
  return found;
}

const text: Rule = (state) => {
  TEXT.lastIndex = state.pos;
  if (!TEXT.test(state.src)) return false;
  const end = Math.min(TEXT.lastIndex, state.posMax);
  state.pending += state.src.slice(state.pos, end);
  state.pos = end;
  return true;
};

const code: Rule = (state) => {
  if (state.src.charCodeAt(state.pos) !== 96) return false;
  const span = marks(state).code.get(state.pos);
  if (span === undefined || span.end > state.posMax) {
    const start = state.pos;
    while (state.src.charCodeAt(state.pos) === 96 && state.pos < state.posMax) state.pos += 1;
    state.pending += state.src.slice(start, state.pos);
    return true;
  }
  const content = state.src.slice(span.contentStart, span.contentEnd).replace(/\n/g, " ");
  const padded = content.startsWith(" ") && content.endsWith(" ") && content.trim() !== "";
  state.push("code_inline", "code", 0).content = padded ? content.slice(1, -1) : content;
  state.pos = span.end;
  return true;
};

const link: Rule = (state) => {
  const char = state.src.charCodeAt(state.pos);
  if (char !== 91 && char !== 33) return false;
  const found = marks(state).links.get(state.pos);
  if (found === undefined || found.end > state.posMax) return false;
  if (found.image) {
    const token = state.push("image", "img", 0);
    token.content = state.md.utils.unescapeAll(state.src.slice(found.labelStart, found.labelEnd));
    token.attrs = [["src", found.href]];
  } else {
    const max = state.posMax;
    state.push("link_open", "a", 1).attrs = [["href", found.href]];
    state.pos = found.labelStart;
    state.posMax = found.labelEnd;
    state.linkLevel += 1;
    state.md.inline.tokenize(state);
    state.linkLevel -= 1;
    state.push("link_close", "a", -1);
    state.posMax = max;
  }
  state.pos = found.end;
  return true;
};

/** `<br>`, addresses in angle brackets, and tags, which stay text as they are written. */
const angle: Rule = (state) => {
  if (state.src.charCodeAt(state.pos) !== 60) return false;
  if (at(BREAK, state) !== null) {
    state.push("hardbreak", "br", 0);
    state.pos = BREAK.lastIndex;
    return true;
  }
  for (const [pattern, scheme] of [
    [AUTOLINK, ""],
    [MAIL, "mailto:"],
  ] as const) {
    const address = at(pattern, state)?.[1];
    if (address === undefined) continue;
    if (state.linkLevel > 0) pushText(state, address);
    else pushLink(state, address, scheme + address);
    state.pos = pattern.lastIndex;
    return true;
  }
  const tag = at(TAG, state)?.[0];
  if (tag === undefined) return false;
  pushText(state, tag);
  state.pos = TAG.lastIndex;
  return true;
};

/** `https://…` as it stands; what is too long for a link is code, or a platform would make a link of its beginning. */
const bareUrl: Rule = (state) => {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== 58 || src.charCodeAt(pos + 1) !== 47 || src.charCodeAt(pos + 2) !== 47) return false;
  const scheme = /(?:^|[^a-z0-9+.-])(https?)$/i.exec(src.slice(Math.max(0, pos - 6), pos))?.[1];
  if (scheme === undefined || scheme.length > state.pending.length || state.linkLevel > 0) return false;
  const start = pos - scheme.length;
  const end = endOfUrl(src, start, posMax);
  if (end <= pos + 3) return false;
  state.pending = state.pending.slice(0, -scheme.length);
  const url = src.slice(start, end);
  if (url.length > LONGEST_URL) state.push("code_inline", "code", 0).content = url;
  else pushLink(state, url, url);
  state.pos = end;
  return true;
};

/** Formulas stay as they are written: no platform draws them, and their signs are no formatting (DL-7). */
const formula: Rule = (state) => {
  const { src, pos } = state;
  const char = src.charAt(pos);
  if (char !== "\\" && char !== "$") return false;
  const opener = src.slice(pos, pos + 2);
  const closer = opener === "\\(" ? "\\)" : opener === "\\[" ? "\\]" : opener === "$$" ? "$$" : null;
  let end = -1;
  if (closer !== null) {
    const found = nextCloser(state, closer, pos + 2);
    if (found <= pos + WINDOW && src.slice(pos + 2, found).trim() !== "") end = found + 2;
  } else if (char === "$") {
    const found = at(DOLLARS, state)?.[0];
    if (found !== undefined && !/\s$/.test(found.slice(0, -1)) && !/\d/.test(src.charAt(pos - 1)))
      end = pos + found.length;
  }
  if (end === -1 || end > state.posMax) return false;
  pushText(state, src.slice(pos, end));
  state.pos = end;
  return true;
};

/** `||…||` as Discord and Telegram draw it. Inside a word, or with blanks at its edges, it is an operator. */
const spoiler: Rule = (state) => {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== 124 || src.charCodeAt(pos + 1) !== 124) return false;
  if (/[\w|]/.test(src.charAt(pos - 1)) || !/[^\s|]/.test(src.charAt(pos + 2))) return false;
  const end = nextCloser(state, "||", pos + 3);
  if (end + 2 > posMax || /\s/.test(src.charAt(end - 1)) || /[\w|]/.test(src.charAt(end + 2))) return false;
  state.push("spoiler_open", "", 1);
  state.pos = pos + 2;
  state.posMax = end;
  state.md.inline.tokenize(state);
  state.push("spoiler_close", "", -1);
  state.posMax = posMax;
  state.pos = end + 2;
  return true;
};

function at(pattern: RegExp, state: StateInline): RegExpExecArray | null {
  pattern.lastIndex = state.pos;
  const match = pattern.exec(state.src);
  return match !== null && pattern.lastIndex <= state.posMax ? match : null;
}

function pushText(state: StateInline, content: string): void {
  state.push("text_special", "", 0).content = content;
}

function pushLink(state: StateInline, label: string, href: string): void {
  state.push("link_open", "a", 1).attrs = [["href", href]];
  pushText(state, label);
  state.push("link_close", "a", -1);
}

const parser = new MarkdownIt({ html: false, linkify: false, breaks: false, maxNesting: 100 });
parser.use(cjkFriendly);
const { ruler } = parser.inline;
ruler.at("text", text);
ruler.at("backticks", code);
ruler.at("link", link);
ruler.at("autolink", angle);
ruler.before("escape", "formula", formula);
ruler.after("text", "bare_url", bareUrl);
ruler.push("spoiler", spoiler);
ruler.disable(["linkify", "image", "html_inline"]);

/** The flat tokens of a run of inline Markdown. Linear in its length. `env` holds the references of the text. */
export function inlineTokens(source: string, env: Env): readonly Token[] {
  const tokens: Token[] = [];
  const run: Run = { ...env, marks: null, closers: new Map() };
  parser.inline.parse(source, parser, run, tokens);
  return tokens;
}

/** Deeper marks are left out; what they stand around stays. */
const MAX_DEPTH = 8;

interface Open {
  readonly mark: "strong" | "em" | "del" | "spoiler" | "link" | null;
  readonly url: string;
  readonly children: MdInline[];
}

const MARKS: ReadonlyMap<string, "strong" | "em" | "del" | "spoiler" | "link"> = new Map([
  ["strong_open", "strong"],
  ["em_open", "em"],
  ["s_open", "del"],
  ["spoiler_open", "spoiler"],
  ["link_open", "link"],
]);

/** Parses a run of inline Markdown into the tree. Every address that a link of it leads to is added to `used`. */
export function convertInlines(source: string, env: Env, used: Set<string>): MdInline[] {
  if (source === "") return [];
  const root: MdInline[] = [];
  const stack: Open[] = [{ mark: null, url: "", children: root }];
  let links = 0;
  let text = "";

  const target = (): MdInline[] => stack.at(-1)?.children ?? root;
  const flush = (): void => {
    if (text === "") return;
    for (const part of links > 0 ? [{ text, url: null }] : bareLinks(text)) {
      const run: MdInline = { type: "text", text: part.text };
      target().push(part.url === null ? run : { type: "link", url: part.url, children: [run] });
    }
    text = "";
  };
  const address = (token: Token, name: "href" | "src"): string => {
    const url = String(token.attrGet(name) ?? "");
    used.add(url);
    return url.replace(/[\s\u0000-\u001f\u007f]+/g, "%20");
  };
  const open = (token: Token): void => {
    const mark = MARKS.get(token.type) ?? null;
    const url = mark === "link" ? address(token, "href") : "";
    if (mark === "link") links += 1;
    const parent = target();
    // What is too deep goes where its parent's content goes.
    stack.push(stack.length > MAX_DEPTH ? { mark: null, url, children: parent } : { mark, url, children: [] });
  };
  const close = (): void => {
    const done = stack.pop();
    if (done === undefined || done.mark === null) return;
    const { mark, url, children } = done;
    target().push(mark === "link" ? { type: "link", url, children } : { type: mark, children });
  };

  for (const token of inlineTokens(source, env)) {
    // Neighbouring text is one node, so that a mention or a grapheme is never spread over nodes by an escape.
    if (token.type === "text" || token.type === "text_special") text += token.content;
    else if (token.type === "softbreak") text += "\n";
    else {
      flush();
      if (token.nesting === 1) open(token);
      else if (token.nesting === -1) {
        if (token.type === "link_close") links -= 1;
        close();
      } else if (token.type === "code_inline") target().push({ type: "code", text: token.content });
      else if (token.type === "hardbreak") target().push({ type: "break" });
      else if (token.type === "image") {
        target().push({ type: "image", url: address(token, "src"), alt: token.content });
      }
    }
  }
  flush();
  return root;
}
