import { COMPACTION, type TranscriptMessage } from "../core/message/transcript.ts";
import { messageTokens, totalTokens } from "./context-size.ts";

type Row = Pick<TranscriptMessage, "role" | "parts" | "provenance">;

/** The entry that stands for what was summarised before (TN-12). */
export function isSummary({ provenance }: Pick<TranscriptMessage, "provenance">): boolean {
  return provenance.kind === "system" && provenance.source === COMPACTION;
}

/**
 * Where a context is cut in two (TN-12): the index of the first message that stays; null: there is nothing worth summarising.
 * At most so many tokens and rows stay, and never less than the newest exchange. A cut lies before a person's or another input's message,
 * or, when a single turn is too long, before one of its model steps: a call is never parted from its result.
 */
export function compactionCut(
  messages: readonly Row[],
  keep: { readonly tokens: number; readonly rows: number },
): number | null {
  const first = messages.findIndex((message) => !isSummary(message)) + 1;
  let kept = 0;
  let atInput: number | null = null;
  let atStep: number | null = null;
  for (let at = messages.length - 1; at >= first; at -= 1) {
    const message = messages[at];
    if (message === undefined) break;
    kept += messageTokens(message);
    const fits = kept <= keep.tokens && messages.length - at <= keep.rows;
    if (message.role === "user" && (fits || atInput === null)) atInput = at;
    if (message.role === "assistant" && (fits || atStep === null)) atStep = at;
    if (!fits && atInput !== null) break;
  }
  const isShort = (at: number): boolean =>
    totalTokens(messages.slice(at)) <= 2 * keep.tokens && messages.length - at <= 2 * keep.rows;
  if (atInput !== null && (isShort(atInput) || atStep === null)) return atInput;
  return atStep ?? atInput;
}

/** For `/compact`: everything before the newest input is summarised; null: nothing came before it. */
export function wholeCut(messages: readonly Row[]): number | null {
  const newest = messages.findLastIndex((message) => message.role === "user");
  const older = messages.slice(0, newest).filter((message) => !isSummary(message));
  return newest > 0 && older.length > 0 ? newest : null;
}
