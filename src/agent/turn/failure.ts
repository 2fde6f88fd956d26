import type { Renderer } from "../../channel/capabilities.ts";
import type { NewDelivery } from "../../core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../core/delivery/delivery.ts";
import type { ModelError, ModelErrorCode } from "../../core/errors.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import { cutText } from "../../core/text/cut.ts";
import { type FailureReason, failureForOwner, TURN_FAILURES } from "../../core/texts/chat/failures.ts";
import { resultNotice } from "../../core/texts/chat/notices.ts";
import { messageDelivery, prepareAnswer } from "../../delivery/way-out.ts";

/** What a model's failure means for a person: what does not help is not advised (FC-301, FC-334). */
const BY_CODE: Readonly<Record<ModelErrorCode, FailureReason>> = {
  rate_limited: "model_limit",
  unavailable: "model_unreachable",
  context_overflow: "model_too_long",
  unauthorized: "model_account",
  no_credit: "model_credit",
  unknown_model: "model_unknown",
  bad_request: "model_refused",
  bad_response: "model",
  no_answer: "model_no_answer",
  filtered: "model_filtered",
  idle: "model_slow",
  aborted: "model",
};

export function modelFailure({ code }: ModelError): FailureReason {
  return BY_CODE[code];
}

export function failureSentence(reason: FailureReason): string {
  return TURN_FAILURES[reason].person;
}

/** One failure notice per person and conversation in this time (TN-16, FC-334); the key makes the second one a row that is there already. */
const NOTICE_WINDOW_MS = 15_000;
/** CP-5: what people see of a result if its requester failed. */
const EXCERPT_CHARACTERS = 1_500;

export interface NoticePlace {
  readonly route: Route;
  readonly renderer: Renderer;
  readonly replyTo: string | null;
  readonly now: number;
  /** When the agent's day began (TN-19). */
  readonly day: number;
  /** The cause, for an owner who reads it alone (FC-334); null: others may read it too. */
  readonly cause: string | null;
}

/** What people see of a failed turn: one plain sentence, or for completions a bounded notice each (CP-5). */
export function failureDeliveries(
  reason: FailureReason,
  items: readonly InboxItem[],
  place: NoticePlace,
): readonly NewDelivery[] {
  const completions = items.flatMap((item) => (item.payload.kind === "completion" ? [item.payload] : []));
  const results = completions.flatMap((completion) => {
    const excerpt = cutText(completion.text.replace(/\n\[Stats:.*$/s, ""), EXCERPT_CHARACTERS).text;
    const text = resultNotice(excerpt);
    return notice(text, `completion-notice:${completion.runIds.join(",")}`, place);
  });
  // A person who wrote meanwhile gets a separate answer.
  if (results.length > 0 && !items.some((item) => item.payload.kind === "event")) return results;
  // A limit of a day is told once in a day of the agent's time zone, which is when the count restarts (TN-19).
  const window =
    reason === "daily_limit" ? `day${place.day}` : `${askersOf(items)}:${Math.floor(place.now / NOTICE_WINDOW_MS)}`;
  const words = place.cause === null ? failureSentence(reason) : failureForOwner(reason, place.cause);
  const sentence = notice(words, `failure-notice:${conversationKey(place.route)}:${window}`, place);
  return [...results, ...sentence];
}

function askersOf(items: readonly InboxItem[]): string {
  const ids = items.flatMap(({ payload }) => (payload.kind === "event" ? [payload.senderId] : []));
  return [...new Set(ids)].toSorted().join(",");
}

function notice(text: string, key: string, place: NoticePlace): readonly NewDelivery[] {
  const prepared = prepareAnswer({ text, renderer: place.renderer, maxChunks: 1 });
  if (prepared.kind === "silent") return [];
  const [piece] = prepared.pieces;
  if (piece === undefined) return [];
  const { route, replyTo } = place;
  return [
    messageDelivery(piece, { route, keyAt: () => key, replyTo, replyToMode: "first", private: false, position: 0 }),
  ];
}
