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

export function textOf(message: ModelMessage): string {
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
