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

/**
 * The first words of every envelope Switchyard puts around what an agent reads or replays. A new envelope goes into
 * this list, or people could imitate it.
 */
export const MARKERS: readonly string[] = [
  "Inter-session message",
  "Subagent Task",
  "Message from",
  "Replying to",
  "Forwarded from",
  "Inline result",
  "Preview of",
  "Reply-back",
  "Late reply",
  "Completion",
  "Queued",
  "System",
  "Tool Call",
  "Tool Calls",
  "Tool Result",
  "Tool Results",
  "Historical context",
  "Active Subagents",
  "Recently completed",
  "Announce",
  "Notice",
  "Stats",
  "Stopped before",
  "Attachment",
  "Attachments",
];

/** What shows nothing, or only space, between the letters of a word. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Z}\u2800]/u;
const WORDS = MARKERS.map((words) => words.replaceAll(" ", "").toLowerCase());
/** A flag of a region, which tags spell, or a tag that hides text from people and not from models. */
const TAGS = /(\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f})|[\u{e0000}-\u{e007f}]/gu;

/**
 * Puts a backslash before the bracket of every Switchyard marker in text from people, so that it cannot imitate an
 * envelope (`IN-10`, FC-110, FC-404): in any case and width, whatever invisible stands in it. Hidden tag characters are removed;
 * other text is unchanged; idempotent; linear.
 */
export function escapeMarkers(text: string): string {
  const shown = text.replace(TAGS, "$1");
  return shown.replace(OPENING, (bracket, at: number) =>
    shown.charAt(at - 1) !== "\\" && isMarker(shown, at + bracket.length) ? `\\${bracket}` : bracket,
  );
}

/** Reads until the letters fit no marker; no bracket fits one, so that no letter is read for two brackets. */
function isMarker(text: string, from: number): boolean {
  let word = "";
  let at = from;
  while (at < text.length) {
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += letter.length;
    if (UNSEEN.test(letter)) continue;
    word += letter.normalize("NFKC").toLowerCase();
    if (!WORDS.some((known) => known.startsWith(word))) return false;
    if (WORDS.includes(word) && !/[A-Za-z0-9_]/.test(text.charAt(at))) return true;
  }
  return false;
}

/*
 * What Switchyard puts in front of the words of a person, a session or a task (IN-10, SP-4, ST-23). People's own brackets are
 * escaped, so these can only be ours.
 */
const HEAD =
  /^(?:\[Historical context:[^\]\n]*\](?:\n>[^\n]*)*(?:\n|$)|\[(?:Message from|Inter-session message)[^\]\n]*\]\s*|\[Subagent Task\]\s*|\[(?:Replying to|Forwarded from|Inline result of|Preview of) [^\]\n]*\](?:\n>[^\n]*)*(?:\n|$))+/;

/** The words themselves, without the lines that say who wrote them where and what they answer; all when nothing else is there. */
export function withoutEnvelope(text: string): string {
  if (!text.startsWith("[")) return text;
  const body = text.replace(HEAD, "");
  return body === "" ? text : body;
}
