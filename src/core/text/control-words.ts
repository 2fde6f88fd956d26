/** A turn that answers exactly this sends nothing (`TN-9`). */
export const NO_REPLY = "NO_REPLY";
/** Ends a reply-back exchange between two sessions (`ST-24`). */
export const REPLY_SKIP = "REPLY_SKIP";
/** Keeps an announcement from being posted (`ST-25`). */
export const ANNOUNCE_SKIP = "ANNOUNCE_SKIP";

export type ControlWord = typeof NO_REPLY | typeof REPLY_SKIP | typeof ANNOUNCE_SKIP;

export const CONTROL_WORDS: readonly ControlWord[] = [NO_REPLY, REPLY_SKIP, ANNOUNCE_SKIP];

/*
 * The words as they may stand in Markdown: `NO\_REPLY`, `**NO_REPLY**`. In capitals they are removed wherever they are
 * not part of a longer name; in other cases only as a word of their own, so that `no_reply@example.org` survives.
 */
const WORD = String.raw`(?:NO|REPLY|ANNOUNCE)\\?_(?:REPLY|SKIP)`;
const REAL_WORD = /^(?:NO_REPLY|REPLY_SKIP|ANNOUNCE_SKIP)$/i;
const IN_CAPITALS = new RegExp(String.raw`(?<![A-Za-z0-9_])([*_~\x60"']{0,3})(${WORD})\1(?![A-Za-z0-9_])`, "g");
const ANY_CASE = new RegExp(
  String.raw`(?<![^\s"'*~\x60(\[])([*_~\x60"']{0,3})(${WORD})\1(?![^\s"'*~\x60)\].,;:!?])`,
  "gi",
);

/**
 * True when the text is exactly one of `words` (default: all control words): any case, white space around it, and
 * `\_` for `_` as Markdown writes it (`TN-9`). `"No"` is not silent, and neither is an empty text.
 */
export function isSilent(text: string, words: readonly ControlWord[] = CONTROL_WORDS): boolean {
  if (text.length > 200) return false;
  const word = text.trim().replace("\\_", "_").toUpperCase();
  return words.some((known) => known === word);
}

/**
 * Removes every control word from a text that goes to a chat (`TN-9`: the token never shows up, FC-029), with the
 * emphasis or quotes directly around it, and fixes the spaces. Idempotent.
 */
export function stripControlWords(text: string): string {
  if (!/_(?:REPLY|SKIP)/i.test(text)) return text;
  const stripped = text.replaceAll("\0", "").replace(IN_CAPITALS, blank).replace(ANY_CASE, blank);
  return stripped.includes("\0") ? joined(stripped.split("\0")) : text;
}

/** The parts around removed words, with at most one space between two of them, and no line end at the edges. */
function joined(parts: readonly string[]): string {
  let text = "";
  let last = "\n";
  for (const [index, part] of parts.entries()) {
    const core = part.slice(
      index === 0 ? 0 : blanksAhead(part),
      index === parts.length - 1 ? undefined : lastWord(part),
    );
    if (core === "") continue;
    text += last.endsWith("\n") || core.startsWith("\n") ? core : ` ${core}`;
    last = core;
  }
  let from = 0;
  let to = text.length;
  while (text.charAt(from) === "\n") from += 1;
  while (to > from && text.charAt(to - 1) === "\n") to -= 1;
  return text.slice(from, to);
}

function blanksAhead(text: string): number {
  let at = 0;
  while (text.charAt(at) === " " || text.charAt(at) === "\t") at += 1;
  return at;
}

/** Where the blanks at the end begin. */
function lastWord(text: string): number {
  let at = text.length;
  while (at > 0 && (text.charAt(at - 1) === " " || text.charAt(at - 1) === "\t")) at -= 1;
  return at;
}

function blank(whole: string, _wrap: string, word: string): string {
  return REAL_WORD.test(word.replace("\\", "")) ? "\0" : whole;
}

/**
 * True while a stream that begins with `prefix` could still turn out to be nothing but a control word, so nothing of
 * it may be shown yet (`TN-9`, FC-030). An empty or blank prefix could; `"No"` could, `"Nope"` cannot.
 */
export function couldBecomeControlWord(prefix: string, words: readonly ControlWord[] = CONTROL_WORDS): boolean {
  if (prefix.length > 200) return false;
  const start = prefix.trim().replace("\\", "").toUpperCase();
  return words.some((word) => word.startsWith(start));
}

/**
 * The part of a growing text that may be shown: control words removed, and a last word held back while it could still
 * become one (`Done. NO_RE`). The final text must be given to {@link stripControlWords} instead.
 */
export function visibleBeforeControlWord(text: string): string {
  if (couldBecomeControlWord(text)) return "";
  const lastWord = /(?<![A-Za-z0-9_])[*_~`"']{0,3}[A-Za-z]{1,8}(?:\\?_?[A-Za-z]{0,5})[*_~`"']{0,3}$/.exec(
    text.slice(-40),
  );
  const held = lastWord?.[0].replace(/^[*_~`"']+|[*~`"']+$/g, "") ?? "";
  const settled = held !== "" && couldBecomeControlWord(held) ? text.slice(0, -(lastWord?.[0].length ?? 0)) : text;
  return stripControlWords(settled);
}
