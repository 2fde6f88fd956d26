/**
 * A conservative check of regular expressions that people's messages are matched against (IN-7). The matcher backtracks,
 * so what a message can make it try is bounded here: alternatives and repetitions multiply to at most `MAX_PATHS`, and at
 * most one repetition is unlimited and repeats a single character. Everything else is refused with its reason.
 */
const MAX_LENGTH = 200;
const MAX_PATHS = 1_000;

type Verdict = { readonly ok: true; readonly pattern: RegExp } | { readonly ok: false; readonly reason: string };

/** Compiles a pattern (case-insensitive, Unicode) when it is valid and cannot run away. */
export function safePattern(source: string): Verdict {
  if (source.length > MAX_LENGTH) return { ok: false, reason: `is longer than ${MAX_LENGTH} characters` };
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, "iu");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `is not a regular expression: ${message.slice(message.lastIndexOf(": ") + 2)}` };
  }
  const scan: Scan = { source, at: 0, unlimited: 0 };
  const result = alternatives(scan);
  if ("reason" in result) return { ok: false, reason: result.reason };
  if (scan.unlimited > 1) return { ok: false, reason: "has more than one unlimited repetition (* or +)" };
  if (pattern.test("")) return { ok: false, reason: "matches an empty text, so it would match every message" };
  return { ok: true, pattern };
}

/** `at` moves forward only; the source is valid, so every bracket closes. */
interface Scan {
  readonly source: string;
  at: number;
  unlimited: number;
}
/** How many ways there are to go through a part. */
type Paths = { readonly paths: number } | { readonly reason: string };

function alternatives(scan: Scan): Paths {
  let total = 0;
  let branch = 1;
  while (scan.at < scan.source.length && scan.source[scan.at] !== ")") {
    if (scan.source[scan.at] === "|") {
      scan.at++;
      total += branch;
      branch = 1;
      continue;
    }
    const part = repeated(scan);
    if ("reason" in part) return part;
    branch *= part.paths;
    if (branch > MAX_PATHS) return { reason: "has too many ways to match the same text" };
  }
  return { paths: total + branch };
}

function repeated(scan: Scan): Paths {
  const isGroup = scan.source[scan.at] === "(";
  const before = scan.unlimited;
  const part = atom(scan);
  if ("reason" in part) return part;
  const times = repetition(scan);
  if (times === null) return part;
  if (times.max === null) {
    if (isGroup) return { reason: "repeats a group without a limit" };
    scan.unlimited++;
    return part;
  }
  if (scan.unlimited > before && times.max > 1) return { reason: "has a repetition inside a repeated group" };
  const paths = part.paths ** Math.max(1, times.max) * (times.max - times.min + 1);
  return paths > MAX_PATHS ? { reason: "has too many ways to match the same text" } : { paths };
}

function atom(scan: Scan): Paths {
  const first = scan.source[scan.at];
  if (first === "(") {
    const [opening = "("] = /^\((\?(?:[:=!]|<[=!]|<[^>]+>|[a-z-]+:))?/.exec(scan.source.slice(scan.at)) ?? [];
    scan.at += opening.length;
    const inner = alternatives(scan);
    scan.at++;
    return inner;
  }
  if (first === "[") {
    scan.at++;
    while (scan.source[scan.at] !== "]") scan.at += scan.source[scan.at] === "\\" ? 2 : 1;
    scan.at++;
    return { paths: 1 };
  }
  if (first === "\\") {
    const rest = scan.source.slice(scan.at);
    if (/^\\([1-9]|k<)/.test(rest)) return { reason: "has a backreference" };
    scan.at += /^\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/su.exec(rest)?.[0].length ?? 2;
    return { paths: 1 };
  }
  scan.at++;
  return { paths: 1 };
}

/** The repetition at the place, or null; `max: null` is unlimited. */
function repetition(scan: Scan): { readonly min: number; readonly max: number | null } | null {
  const [whole, sign, low, comma, high] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(scan.source.slice(scan.at)) ?? [];
  if (whole === undefined) return null;
  scan.at += whole.length;
  if (sign !== undefined) return sign === "?" ? { min: 0, max: 1 } : { min: sign === "+" ? 1 : 0, max: null };
  const min = Number(low);
  if (comma === "") return { min, max: min };
  return { min, max: high === "" ? null : Number(high) };
}
