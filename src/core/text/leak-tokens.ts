import { type LeakToken, nextLeak, TAG_NAMES } from "./leak-scan.ts";

/** What remains of a tag or control token when the output was cut off in the middle of it. */
const CUT_OFF = /^<[ \t]*\/?[ \t]*(?:minimax:[\w-]{0,20}|([a-z][\w-]{3,20}))$|^<[|｜][^\s|｜<>]{1,100}[|｜]?$/i;
/** The longest text that {@link CUT_OFF} can match. */
const CUT_OFF_WINDOW = 140;

/** True when the text may hold leaked markup; false is certain. */
export function mayLeak(text: string): boolean {
  return nextLeak(text, 0) !== null || cutOffStart(text) !== -1;
}

/** Finds all leaked markup in order, without regard to code; linear in the length of the text. */
export function findLeakTokens(text: string): LeakToken[] {
  const tokens: LeakToken[] = [];
  for (let token = nextLeak(text, 0); token !== null; token = nextLeak(text, token.end)) tokens.push(token);
  const cutOff = cutOffStart(text);
  const last = tokens.at(-1);
  if (cutOff !== -1 && (last === undefined || last.end <= cutOff)) {
    tokens.push({ role: "single", start: cutOff, end: text.length });
  }
  return tokens;
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
