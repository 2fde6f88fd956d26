import type { JsonObject } from "../../../core/json.ts";
import type { ModelMessage, ModelRequest } from "../../../core/model.ts";

export interface DemoPiece {
  readonly text: string;
  /** Milliseconds before this piece; null: the model's usual delay. */
  readonly waitMs: number | null;
}

export interface DemoCall {
  readonly name: string;
  readonly args: JsonObject;
}

export interface DemoReply {
  readonly pieces: readonly DemoPiece[];
  readonly calls: readonly DemoCall[];
}

export type DemoRequest = Pick<ModelRequest, "system" | "messages" | "tools">;

/** A reply of text only, in at most four pieces, or pieces of about 80 characters when it is long. */
export function say(text: string): DemoReply {
  return { pieces: inPieces(text), calls: [] };
}

export function callTools(calls: readonly DemoCall[], text = ""): DemoReply {
  return { pieces: inPieces(text), calls };
}

export function demoInputText(message: ModelMessage): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** At most four pieces, or pieces of about 80 characters when the text is long; a word is never split. */
function inPieces(text: string): DemoPiece[] {
  const size = text.length <= 320 ? Math.ceil(text.length / 4) : 80;
  const pieces: string[] = [];
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + word.length <= size) pieces[pieces.length - 1] = last + word;
    else pieces.push(word);
  }
  return pieces.map((piece) => ({ text: piece, waitMs: null }));
}

const WORDS: readonly string[] =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const MAX = 1000;

/** A number in digits or as a word up to twenty; anything else is 3. At most 1000. */
export function readNumber(text: string): number {
  const word = WORDS.indexOf(text.toLowerCase());
  if (word >= 0) return word;
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? Math.min(number, MAX) : 3;
}

/** `1, 2, 3 — done.`; with `waitMs` each number is a piece of its own that comes after that time. */
export function countPieces(to: number, waitMs: number | null): DemoPiece[] {
  const numbers = Array.from({ length: to }, (_unused, at) => `${at === 0 ? "" : ", "}${at + 1}`);
  if (waitMs === null)
    return [
      { text: numbers.join(""), waitMs: null },
      { text: " — done.", waitMs: null },
    ];
  return [...numbers.map((text) => ({ text, waitMs })), { text: " — done.", waitMs: null }];
}
