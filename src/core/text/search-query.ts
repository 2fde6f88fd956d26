/** A word of a text, folded, and where it stands in it, as UTF-16 offsets. */
export interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** A longer run of letters (base64, a hash list) counts as its beginning. */
export const MAX_WORD = 64;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[A-Za-z0-9]+/g;
/** Scripts that put no spaces between words: every character is a word, so that a phrase of them finds a part of a run. */
const ANY_WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]+/gv;
/** Letters that are variants of others although Unicode does not decompose them. */
const VARIANTS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ħ: "h", ı: "i", ς: "σ" },
};

/**
 * The words of a text as search compares them (`ST-11`): runs of letters, marks and digits, without regard to case and to
 * the diacritics of Latin, Greek and Cyrillic. At most `max` words. Linear in the length of the text.
 */
export function wordsOf(text: string, max = Number.POSITIVE_INFINITY): Word[] {
  const plain = ASCII.test(text);
  const words: Word[] = [];
  for (const match of text.matchAll(plain ? ASCII_WORD : ANY_WORD)) {
    const word = fold(match[0]);
    if (word !== "") words.push({ word, start: match.index, end: match.index + match[0].length });
    if (words.length >= max) break;
  }
  return words;
}

function fold(written: string): string {
  const lower = ASCII.test(written) ? written.toLowerCase() : foldMarks(written);
  return lower.length > MAX_WORD ? lower.slice(0, MAX_WORD).toWellFormed() : lower;
}

/** What a compatibility form decomposes to (`½`) may hold signs that would separate words; they are left out. */
function foldMarks(written: string): string {
  return written
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]+|[^\p{L}\p{N}\p{M}]+/gu, "")
    .replace(/[ßæœøłđħıς]/g, (letter) => VARIANTS[letter] ?? letter);
}

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
/** UTF-16 units of a usual message; longer ones count each occurrence for less. */
const USUAL_LENGTH = 360;
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

/** How well a text fits all terms; null: one of them is missing. */
export function matchText(text: string, terms: readonly SearchTerm[]): Match | null {
  return matchWords(wordsOf(text), terms, text.length);
}

/** The same for words that were taken from a text of this length. */
export function matchWords(words: readonly Word[], terms: readonly SearchTerm[], length: number): Match | null {
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
    score += weight(count, length);
  }
  return first === null ? null : { score: rounded(score, terms), ...first };
}

/** The score alone, for ranking thousands: in plain text words are counted where they stand. */
export function scoreText(text: string, terms: readonly SearchTerm[]): number | null {
  if (!ASCII.test(text) || !terms.every(isPlain)) return matchText(text, terms)?.score ?? null;
  const lower = text.toLowerCase();
  let score = 0;
  for (const term of terms) {
    const count = lower.match(patternOf(term))?.length ?? 0;
    if (count === 0) return null;
    score += weight(count, text.length);
  }
  return rounded(score, terms);
}

/** A word of full length may be the beginning of a longer one. */
function isPlain({ words }: SearchTerm): boolean {
  return words.every((word) => ASCII.test(word) && word.length < MAX_WORD);
}

/** What follows is only looked at, so that occurrences which overlap all count, as in {@link matchWords}. */
function patternOf({ words: [first = "", ...rest], prefix }: SearchTerm): RegExp {
  const following = rest.map((word) => `[^a-z0-9]+${word}`).join("");
  return new RegExp(`(?<![a-z0-9])${first}(?=${following}${prefix ? "" : "(?![a-z0-9])"})`, "g");
}

function weight(count: number, length: number): number {
  return count / (count + 1.2 * (0.25 + (0.75 * length) / USUAL_LENGTH));
}

function rounded(score: number, terms: readonly SearchTerm[]): number {
  return Math.round((1_000 * score) / terms.length) / 1_000;
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
