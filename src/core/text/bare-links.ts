import { LONGEST_URL } from "./markdown-marks.ts";

/** Where an address that stands bare in a text ends in every script: white space, angle brackets, quotes and brackets of CJK. */
const STOPS =
  /[\s<>`\u0000-\u001f\u007f\u2018-\u201f\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/;
/** What belongs to the sentence when it ends an address. */
const TRAILING = /[?!.,:;*_~'"|]/;
const WORD = /(?<![\w.+/@-])(?:www\.(?=[\w-])|[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?![\w@]))/gi;

/** A piece of text, and the address it leads to; null: it is only text. */
export interface TextPart {
  readonly text: string;
  readonly url: string | null;
}

/** The end of the address that starts at `from`. Brackets that it did not open end it, and so do marks of emphasis. */
export function endOfUrl(text: string, from: number, max: number): number {
  const open: string[] = [];
  let end = from;
  for (; end < max; end += 1) {
    const char = text.charAt(end);
    if (STOPS.test(char)) break;
    if ((char === "*" || char === "~" || char === "|") && text.charAt(end + 1) === char) break;
    if (char === "(" || char === "[") open.push(char === "(" ? ")" : "]");
    else if ((char === ")" || char === "]") && open.pop() !== char) break;
  }
  while (end > from && TRAILING.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Splits a text at the addresses without a scheme that people know as links: `www.…` and mail addresses. */
export function bareLinks(text: string): readonly TextPart[] {
  if (!text.includes("@") && !/www\./i.test(text)) return [{ text, url: null }];
  const parts: TextPart[] = [];
  let last = 0;
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const [found] = match;
    const mail = found.includes("@");
    const end = mail ? match.index + found.replace(/[.-]$/, "").length : endOfUrl(text, match.index, text.length);
    WORD.lastIndex = Math.max(end, match.index + found.length);
    if (!mail && (end - match.index > LONGEST_URL || !text.slice(match.index + 4, end).includes("."))) continue;
    const address = text.slice(match.index, end);
    parts.push({ text: text.slice(last, match.index), url: null });
    parts.push({ text: address, url: mail ? `mailto:${address}` : `http://${address}` });
    last = end;
  }
  parts.push({ text: text.slice(last), url: null });
  return parts.filter((part) => part.text !== "");
}
