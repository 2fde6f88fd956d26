import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { TextPattern } from "../../src/core/settings.ts";

/*
 * Regular expressions that every message is matched against (IN-7, FC-402). They run on RE2, which never backtracks: the time
 * is the message's length times the pattern's size, so both limits here bound it. Look-around and backreferences are unknown to it.
 */
const MAX_LENGTH = 200;
/** Instructions: a pattern like `(a{100}){10}` is short to write. */
const MAX_SIZE = 500;

type Verdict = { readonly ok: true; readonly pattern: TextPattern } | { readonly ok: false; readonly reason: string };

/** Compiles a pattern (case-insensitive, Unicode) when it is valid and its work is bounded. */
export function safePattern(source: string): Verdict {
  if (source.length > MAX_LENGTH) return { ok: false, reason: `is longer than ${MAX_LENGTH} characters` };
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { ok: false, reason: `is not a regular expression of RE2: ${error.getDescription()}` };
  }
  if (compiled.programSize() > MAX_SIZE) return { ok: false, reason: "repeats too much" };
  const pattern: TextPattern = { test: (text) => compiled.matcher(text).find() };
  if (pattern.test("")) return { ok: false, reason: "matches an empty text, so it would match every message" };
  return { ok: true, pattern };
}
