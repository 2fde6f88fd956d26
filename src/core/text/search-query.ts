import { type Word, wordsOf } from "./words.ts";

/** One thing every hit holds: a word, or several directly after each other. `prefix`: the last may go on. */
export interface SearchTerm {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** How well a text fits a query, and the words that matched first, as UTF-16 offsets. */
export interface Match {
  /** 0 to 1: higher for more occurrences and for shorter texts. */
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** A shorter beginning would be the beginning of half the language. */
const MIN_PREFIX = 3;
/** What a usual message has; longer ones count each occurrence for less. */
const USUAL_WORDS = 60;
const PART = /["“”]([^"“”]*)["“”]|(\S+)/g;

/**
 * Reads a query as data (`ST-11`): words that must all occur, `"phrases in quotes"`, and `beginnings*` of three characters or
 * more. Nothing else has a meaning, and no text is an error. What a sign splits (`foo-bar`) is a phrase. Empty: no word in it.
 */
export function parseSearchQuery(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const [, phrase, chunk] of query.matchAll(PART)) {
    const words = wordsOf(phrase ?? chunk ?? "").map(({ word }) => word);
    const last = words.at(-1);
    if (last === undefined) continue;
    const prefix = chunk?.endsWith("*") === true && last.length >= MIN_PREFIX;
    terms.set(`${words.join(" ")}${prefix ? "*" : ""}`, { words, prefix });
  }
  return [...terms.values()];
}

/** How well the words of a text fit all terms; null: one of them is missing. */
export function matchWords(words: readonly Word[], terms: readonly SearchTerm[]): Match | null {
  const length = 0.25 + (0.75 * words.length) / USUAL_WORDS;
  let score = 0;
  let first: { readonly start: number; readonly end: number } | null = null;
  for (const term of terms) {
    let count = 0;
    for (let at = 0; at + term.words.length <= words.length; at += 1) {
      if (!standsAt(words, at, term)) continue;
      count += 1;
      const start = words[at]?.start ?? 0;
      if (first === null || start < first.start)
        first = { start, end: words[at + term.words.length - 1]?.end ?? start };
    }
    if (count === 0) return null;
    score += count / (count + 1.2 * length);
  }
  if (first === null) return null;
  return { score: Math.round((1_000 * score) / terms.length) / 1_000, ...first };
}

function standsAt(words: readonly Word[], at: number, { words: wanted, prefix }: SearchTerm): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    const word = words[at + index]?.word;
    const want = wanted[index] ?? "";
    const open = prefix && index === wanted.length - 1;
    if (word !== want && !(open && word?.startsWith(want))) return false;
  }
  return true;
}
