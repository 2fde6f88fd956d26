/** Kinds of leaked markup; an opener is closed only by a closer of its own kind. */
export type LeakKind = "reasoning" | "memories" | "tool" | "channel";

/** One piece of leaked markup found in a text, as UTF-16 offsets into it. */
export type LeakToken =
  | { readonly role: "close"; readonly kind: LeakKind; readonly start: number; readonly end: number }
  /** `generic`: written like a type's argument (`List<Thought>`), so it is a leak only when something closes it. */
  | {
      readonly role: "open";
      readonly kind: LeakKind;
      readonly generic: boolean;
      readonly start: number;
      readonly end: number;
    }
  /** Markup without content: a control token, a self-closed tag. */
  | { readonly role: "single"; readonly start: number; readonly end: number }
  /** A `[Tool Call: …]` style bracket; `end` is only the end of its first words. */
  | { readonly role: "scaffold"; readonly start: number; readonly end: number };

const REASONING = ["think", "thinking", "thought", "reasoning", "antthinking", "analysis", "reflection", "scratchpad"];
const MEMORIES = ["relevant-memories", "relevant_memories"];
const TOOL = [
  "tool_call",
  "tool_calls",
  "function_call",
  "function_calls",
  "invoke",
  "tool_use",
  "tool_result",
  "tool_results",
  "tool_response",
  "function_result",
  "function_results",
];
export const TAG_NAMES: readonly string[] = [...REASONING, ...MEMORIES, ...TOOL];
const KINDS: ReadonlyMap<string, LeakKind> = new Map([
  ...REASONING.map((name): [string, LeakKind] => [name, "reasoning"]),
  ...MEMORIES.map((name): [string, LeakKind] => [name, "memories"]),
  ...TOOL.map((name): [string, LeakKind] => [name, "tool"]),
]);

/** A tool block opened and closed by control tokens instead of tags. */
const CONTROL_BLOCK = /^tool[▁_]calls?(?:[▁_]section)?[▁_](begin|end)$/i;
/** Reasoning between control tokens. */
const CONTROL_REASONING =
  /^(?:(begin_of_thought|start_thinking|inner_prefix)|end_of_thought|end_thinking|inner_suffix)$/i;
/** Reasoning in brackets and in the signs of Kimi. */
const THINK_SIGN = /\[(\/?)THINK\]|◁(\/?)think(?:ing)?▷/y;
/** Channels (gpt-oss, Gemma): all but the final one, and a preamble that calls nothing, are inner talk. */
const CHANNEL =
  /<\|channel\|?>\s{0,3}(analysis|thought|commentary|final)(?![\w-])([^<\n]{0,80})(?:<\|constrain\|>[^<\n]{0,40})?(?:<\|message\|>)?|<channel\|>|<\|(?:end|return|call)\|>/y;
const START = /<\|start\|>(?:assistant|system|developer|user|tool)(?=<|$)/y;
/** The same when the server has taken the control tokens out; only at the start of a text. */
const BARE_CHANNEL = /^\s{0,20}analysis(?=["'“‘(*\d]|\p{Lu})/u;
const BARE_FINAL = "assistantfinal";
/**
 * What models copy from replayed history, and Switchyard's own envelopes. Only the first letter has to be a capital: written
 * small it is prose, "[tool results are good]".
 */
const SCAFFOLD =
  /\[[ \t]*(?:Tool Calls?:|Tool Results?(?=[ :\]])(?!\]\()|Historical context(?=[ :\]])(?!\]\()|Inter-session message(?=[ \]])|Reply-back \d+\/\d+|Subagent Task\]|Completion (?=\w+=))/iy;
const MAX_NAMESPACE = 31;
const MAX_NAME = 40;
const MAX_CONTROL = 100;

const LESS = 60;
const GREATER = 62;
const BRACKET = 91;
const SLASH = 47;
const COLON = 58;
const PIPE = 124;
const WIDE_PIPE = 0xff5c;
const TRIANGLE = 0x25c1;

/**
 * The first leaked markup at or after `from`, without regard to code; null: there is none. It is one walk over the characters,
 * and a look ahead never passes the character that could begin the next one or a fixed length, so a text costs its length.
 */
export function nextLeak(text: string, from: number): LeakToken | null {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if ((code !== LESS && code !== BRACKET && code !== TRIANGLE) || text.charCodeAt(at + 1) === code) continue;
    const token =
      code === LESS
        ? (tagAt(text, at) ?? channelAt(text, at) ?? controlAt(text, at))
        : (thinkSignAt(text, at) ?? (code === BRACKET ? scaffoldAt(text, at) : null));
    if (token !== null) return token;
  }
  return null;
}

/** White space as a pattern's `\s` knows it. */
export function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}

/** `<think>`, `</ns:invoke …>`, also without its end. */
function tagAt(text: string, start: number): LeakToken | null {
  let at = skipBlanks(text, start + 1);
  const closes = text.charCodeAt(at) === SLASH;
  if (closes) at = skipBlanks(text, at + 1);
  let end = endOfName(text, at);
  if (text.charCodeAt(end) === COLON && end - at <= MAX_NAMESPACE && isLetter(text.charCodeAt(at))) {
    at = end + 1;
    end = endOfName(text, at);
  }
  const kind = kindOf(text, at, end);
  if (kind === null || !isDelimiter(text, end)) return null;
  const attributes = end;
  while (end < text.length && text.charCodeAt(end) !== LESS && text.charCodeAt(end) !== GREATER) end += 1;
  const selfClosed = end > attributes && text.charCodeAt(end - 1) === SLASH;
  if (text.charCodeAt(end) === GREATER) end += 1;
  if (closes) return { role: "close", kind, start, end };
  if (selfClosed) return { role: "single", start, end };
  return { role: "open", kind, generic: isGeneric(text, start), start, end };
}

function thinkSignAt(text: string, start: number): LeakToken | null {
  THINK_SIGN.lastIndex = start;
  const found = THINK_SIGN.exec(text);
  if (found === null) return null;
  const end = THINK_SIGN.lastIndex;
  if (found[1] === "/" || found[2] === "/") return { role: "close", kind: "reasoning", start, end };
  return { role: "open", kind: "reasoning", generic: false, start, end };
}

function channelAt(text: string, start: number): LeakToken | null {
  START.lastIndex = start;
  if (START.test(text)) return { role: "single", start, end: START.lastIndex };
  CHANNEL.lastIndex = start;
  const found = CHANNEL.exec(text);
  if (found === null) return null;
  const [, name, rest = ""] = found;
  const end = CHANNEL.lastIndex;
  const kind = "channel";
  if (name === undefined || name === "final") return { role: "close", kind, start, end };
  if (name === "commentary" && !rest.includes("to=")) return { role: "single", start, end };
  return { role: "open", kind, generic: false, start, end };
}

/** `<|im_start|>`; not `<| x |>`, which is an operator in some languages. */
function controlAt(text: string, start: number): LeakToken | null {
  if (!isPipe(text.charCodeAt(start + 1))) return null;
  const from = start + 2;
  const last = Math.min(text.length, from + MAX_CONTROL);
  let at = from;
  while (at < last && isControlText(text.charCodeAt(at))) at += 1;
  if (at === from || isSpace(text.charCodeAt(from))) return null;
  if (!isPipe(text.charCodeAt(at)) || text.charCodeAt(at + 1) !== GREATER) return null;
  const end = at + 2;
  const reasoning = CONTROL_REASONING.exec(text.slice(from, at));
  if (reasoning !== null) {
    const kind = "reasoning";
    return reasoning[1] === undefined
      ? { role: "close", kind, start, end }
      : { role: "open", kind, generic: false, start, end };
  }
  const block = CONTROL_BLOCK.exec(text.slice(from, at))?.[1]?.toLowerCase();
  if (block === undefined) return { role: "single", start, end };
  const kind = "tool";
  return block === "begin" ? { role: "open", kind, generic: false, start, end } : { role: "close", kind, start, end };
}

function scaffoldAt(text: string, start: number): LeakToken | null {
  const first = text.charCodeAt(skipBlanks(text, start + 1));
  if (first < 65 || first > 90) return null;
  SCAFFOLD.lastIndex = start;
  return SCAFFOLD.test(text) ? { role: "scaffold", start, end: SCAFFOLD.lastIndex } : null;
}

function kindOf(text: string, start: number, end: number): LeakKind | null {
  if (end - start < 5 || end - start > MAX_NAME) return null;
  const name = text.slice(start, end);
  return KINDS.get(name) ?? KINDS.get(name.toLowerCase()) ?? null;
}

function isGeneric(text: string, start: number): boolean {
  const [before, first, second] = [text.charCodeAt(start - 1), text.charCodeAt(start + 1), text.charCodeAt(start + 2)];
  return isWord(before) && first >= 65 && first <= 90 && second >= 97 && second <= 122;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at += 1;
  return at;
}

function endOfName(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_NAME);
  let at = from;
  while (at < last && (isWord(text.charCodeAt(at)) || text.charCodeAt(at) === 45)) at += 1;
  return at;
}

function isDelimiter(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  return code === SLASH || code === LESS || code === GREATER || isSpace(code);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isWord(code: number): boolean {
  return code >= 97 ? code <= 122 : code >= 65 ? code <= 90 || code === 95 : code >= 48 && code <= 57;
}

function isPipe(code: number): boolean {
  return code === PIPE || code === WIDE_PIPE;
}

function isControlText(code: number): boolean {
  return !isPipe(code) && code !== LESS && code !== GREATER && code !== 10 && code !== 13;
}

/** What remains of a tag or control token when the output was cut off in the middle of it. */
const CUT_OFF = /^<[ \t]*\/?[ \t]*(?:minimax:[\w-]{0,20}|([a-z][\w-]{3,20}))$|^<[|｜][^\s|｜<>]{1,100}[|｜]?$/i;
/** The longest text that {@link CUT_OFF} can match. */
const CUT_OFF_WINDOW = 140;

/** True when the text may hold leaked markup; false is certain. `whole`: it begins where the output begins. */
export function mayLeak(text: string, whole = true): boolean {
  return nextLeak(text, 0) !== null || cutOffStart(text) !== -1 || (whole && BARE_CHANNEL.test(text));
}

/** Finds all leaked markup in order, without regard to code; linear in the length of the text. `whole` as in {@link mayLeak}. */
export function findLeakTokens(text: string, whole = true): LeakToken[] {
  const tokens: LeakToken[] = whole ? bareChannel(text) : [];
  for (let token = nextLeak(text, tokens.at(-1)?.end ?? 0); token !== null; token = nextLeak(text, token.end))
    tokens.push(token);
  const cutOff = cutOffStart(text);
  const last = tokens.at(-1);
  if (cutOff !== -1 && (last === undefined || last.end <= cutOff)) {
    tokens.push({ role: "single", start: cutOff, end: text.length });
  }
  return tokens;
}

/** `analysisThe user …assistantfinalHello`: inner talk whose control tokens are gone. */
function bareChannel(text: string): LeakToken[] {
  const opener = BARE_CHANNEL.exec(text)?.[0];
  if (opener === undefined) return [];
  const open: LeakToken = { role: "open", kind: "channel", generic: false, start: 0, end: opener.length };
  const final = text.indexOf(BARE_FINAL);
  return final === -1
    ? [open]
    : [open, { role: "close", kind: "channel", start: final, end: final + BARE_FINAL.length }];
}

/** Where a tag or control token begins that the end of the text cuts off, or -1. At least four letters of the name must be there. */
function cutOffStart(text: string): number {
  const from = Math.max(0, text.length - CUT_OFF_WINDOW);
  const open = text.lastIndexOf("<");
  if (open < from) return -1;
  const match = CUT_OFF.exec(text.slice(open));
  if (match === null) return -1;
  const partial = match[1]?.toLowerCase();
  return partial === undefined || [...TAG_NAMES, "minimax"].some((name) => name.startsWith(partial)) ? open : -1;
}
