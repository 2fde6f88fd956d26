import { asTyped } from "./plain-text.ts";

/**
 * What a terminal would act on or hide instead of showing (FC-408): controls, direction marks, zero widths, fillers, tags.
 * A joiner is left between the two halves of an emoji, where it draws one.
 */
const UNSEEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\ufe0f\u200d]]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})/gv;

/** A text as a terminal may show it: what is unseen as `\u{1b}`. Line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}

const LONGEST_NAME = 60;

/** A name that people choose themselves, marked as one: in quotes, on one line, and cut where it gets long. */
export function quotedName(name: string): string {
  return `"${visibleLine(cutName(name).replace(/["\\]/g, (one) => `\\${one}`))}"`;
}

function cutName(name: string): string {
  const letters = [...name];
  return letters.length <= LONGEST_NAME ? name : `${letters.slice(0, LONGEST_NAME - 1).join("")}…`;
}

/** A name inside an answer that is read as Markdown (FC-408): on one line, nothing hidden, and every mark a character. */
export function nameInChat(name: string): string {
  return asTyped(visibleLine(cutName(name)));
}

/** The same in quotes, where a sentence around it could be imitated. */
export function quotedInChat(name: string): string {
  return asTyped(quotedName(name));
}

/** JSON without invisible characters in its strings; it parses to the same value. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (one) =>
    [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
