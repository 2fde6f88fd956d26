import { escapeMarkers } from "./markers.ts";

/*
 * How other people's words enter a prompt (IN-10, FC-404): each kind has one form, and no form can end what surrounds it. Every
 * foreign string passes through one of these or through `escapeMarkers`.
 */

const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]--[\n\t]]/gv;
const SPACES = /[\p{Cc}\p{Z}\u2800]+/gu;
const OPENING = /[[［【〔〖〚⟦❲⁅﹝]/gu;
const CLOSING = /[\]］】〕〗〛⟧❳⁆﹞]/gu;
/** Signs that give an envelope's head its structure. */
const STRUCTURE = /["“”(){}:;,<>\\]/u;
const LONGEST_NAME = 200;

/** One line inside a bracket of ours: nothing in it is invisible, ends the line or ends the bracket. */
export function promptLine(text: string): string {
  return text
    .replace(INVISIBLE, "")
    .replace(SPACES, " ")
    .replace(OPENING, "(")
    .replace(CLOSING, ")")
    .replace(/^ | $/g, "");
}

/** A name that people choose, in quotes. */
export function promptLabel(name: string): string {
  const letters = [...promptLine(name)];
  const shown = letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join("")}…` : letters.join("");
  return `"${shown.replace(/["\\]/g, "\\$&")}"`;
}

/** The same without quotes where it is only words: one that could be read as more than a name stays in them. */
export function promptName(name: string): string {
  const label = promptLabel(name);
  const words = label.slice(1, -1);
  return words === "" || STRUCTURE.test(words.normalize("NFKC")) ? label : words;
}

/** Lines that are a quote as a whole: each begins with `> `, so that none passes for anything else. */
export function promptQuote(text: string): string {
  return `> ${quotedLines(text).join("\n> ")}`;
}

/** What one person wrote in a quote of several: `> name: text`, with further lines set in, so that none passes for another entry. */
export function promptEntry(name: string, text: string): string {
  return `> ${promptName(name)}: ${quotedLines(text).join("\n>   ")}`;
}

function quotedLines(text: string): readonly string[] {
  return escapeMarkers(text).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
}
