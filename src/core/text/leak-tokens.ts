/** Kinds of leaked markup; an opener is closed only by a closer of its own kind. */
export type LeakKind = "reasoning" | "memories" | "tool";

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
  /** Stands for nothing but itself: a control token, a self-closed tag. */
  | { readonly role: "single"; readonly start: number; readonly end: number }
  /** A `[Tool Call: …]` style bracket; `end` is only the end of its first words. */
  | { readonly role: "scaffold"; readonly start: number; readonly end: number };

const REASONING = ["think", "thinking", "thought", "reasoning", "antthinking"];
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
const TAG_NAMES: readonly string[] = [...REASONING, ...MEMORIES, ...TOOL];

/*
 * Every quantifier is bounded or excludes the character that starts the next match, so one pass over the text is
 * linear whatever it holds; an unbounded `.*` here would make 1 MB of `<` a denial of service.
 */
const TOKEN = new RegExp(
  [
    // group 1 slash, 2 tag name, 3 attributes, 4 the closing bracket (absent when cut off)
    String.raw`<[ \t]*(\/?)[ \t]*(?:[a-z][\w-]{0,30}:)?(${TAG_NAMES.join("|")})(?=[\s/<>]|$)([^<>]*)(>?)`,
    // group 5 the name inside a control token; not `<| x |>`, which is an operator in some languages
    String.raw`<[|｜](?=[^\s|｜<>])([^|｜<>\r\n]{1,100})[|｜]>`,
    // group 6 scaffolding that models copy from replayed history, and Switchyard's own envelopes
    String.raw`\[[ \t]*(Tool Calls?:|Tool Results?(?=[ :\]])(?!\]\()|Historical context(?=[ :\]])(?!\]\()|Inter-session message(?=[ \]])|Reply-back \d+\/\d+|Subagent Task\]|Completion (?=\w+=))`,
  ].join("|"),
  "gi",
);

/** A tool block opened and closed by control tokens instead of tags. */
const CONTROL_BLOCK = /^tool[▁_]calls?(?:[▁_]section)?[▁_](begin|end)$/i;

/** What remains of a tag or control token when the output was cut off in the middle of it. */
const CUT_OFF = /^<[ \t]*\/?[ \t]*(?:minimax:[\w-]{0,20}|([a-z][\w-]{3,20}))$|^<[|｜][^\s|｜<>]{1,100}[|｜]?$/i;
/** The longest text that {@link CUT_OFF} can match. */
const CUT_OFF_WINDOW = 140;

/** True when the text may hold leaked markup; false is certain. */
export function mayLeak(text: string): boolean {
  return text.search(TOKEN) !== -1 || cutOffStart(text) !== -1;
}

/** Finds all leaked markup in order, without regard to code; linear in the length of the text. */
export function findLeakTokens(text: string): LeakToken[] {
  const tokens: LeakToken[] = [];
  for (const match of text.matchAll(TOKEN)) {
    // Written small it is prose: "[tool results are good]".
    if (match[6] === undefined || /^[A-Z]/.test(match[6])) tokens.push(readToken(match, text.charAt(match.index - 1)));
  }
  const cutOff = cutOffStart(text);
  const last = tokens.at(-1);
  if (cutOff !== -1 && (last === undefined || last.end <= cutOff)) {
    tokens.push({ role: "single", start: cutOff, end: text.length });
  }
  return tokens;
}

function readToken(match: RegExpExecArray, before: string): LeakToken {
  const start = match.index;
  const end = start + match[0].length;
  const [, slash, name, attributes, , control, scaffold] = match;
  if (scaffold !== undefined) return { role: "scaffold", start, end };
  if (control !== undefined) {
    const block = CONTROL_BLOCK.exec(control)?.[1]?.toLowerCase();
    if (block === undefined) return { role: "single", start, end };
    const kind = "tool";
    return block === "begin" ? { role: "open", kind, generic: false, start, end } : { role: "close", kind, start, end };
  }
  if (slash === "/") return { role: "close", kind: kindOf(name), start, end };
  if (attributes?.endsWith("/")) return { role: "single", start, end };
  const generic = /\w/.test(before) && /^<[A-Z][a-z]/.test(match[0]);
  return { role: "open", kind: kindOf(name), generic, start, end };
}

function kindOf(name: string | undefined): LeakKind {
  const lower = name?.toLowerCase() ?? "";
  if (REASONING.includes(lower)) return "reasoning";
  return MEMORIES.includes(lower) ? "memories" : "tool";
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

/** A tail that more text could still turn into markup: `<`, `</thi`, `<|im_`, `[Tool C`. */
const PENDING_TAG =
  /^<[ \t]{0,8}\/?[ \t]{0,8}(?:[a-z][\w-]{0,40}(?::[\w-]{0,40})?)?$|^<[|｜][^|｜<>\r\n]{0,100}[|｜]?$/i;
const SCAFFOLD_WORDS = [
  "tool call:",
  "tool calls:",
  "tool result ",
  "tool results ",
  "historical context ",
  "inter-session message ",
  "reply-back 00/00",
  "subagent task]",
  "completion ",
];
const PENDING_BRACKET = /^\[[ \t]*([a-z][a-z0-9/ -]{0,40})?$/i;

/**
 * Length of the part of a growing text that no further text can turn into the start of markup (`ST-6`: partial tags
 * are held back). Looks at most 140 characters back.
 */
export function settledLength(text: string): number {
  const from = text.length - CUT_OFF_WINDOW;
  const tag = text.lastIndexOf("<");
  if (tag >= 0 && tag >= from && PENDING_TAG.test(text.slice(tag))) return tag;
  const bracket = text.lastIndexOf("[");
  if (bracket >= 0 && bracket >= from) {
    const match = PENDING_BRACKET.exec(text.slice(bracket));
    if (match !== null && couldBeScaffold(match[1]?.toLowerCase() ?? "")) return bracket;
  }
  return text.length;
}

function couldBeScaffold(words: string): boolean {
  const shape = words.replace(/\d+/g, "00");
  return SCAFFOLD_WORDS.some((known) => known.startsWith(words) || known.startsWith(shape) || shape.startsWith(known));
}
