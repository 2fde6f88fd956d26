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
