import { type AcceptResult, type InboundEvent, identityKey } from "../../core/message/inbound-event.ts";
import { promptName } from "../../core/text/prompt-words.ts";
import { notices } from "../../core/texts/chat/notices.ts";
import { eventRules } from "../../core/texts/rules.ts";
import { changeThread } from "../../store/steps/inbound/change-thread.ts";
import { type EditOutcome, editEvent } from "../../store/steps/inbound/edit-event.ts";
import { refusalStep } from "../../store/steps/inbound/record-refusal.ts";
import { withdrawEvent } from "../../store/steps/inbound/withdraw-event.ts";
import { decideArrival, storeDecision } from "./accept-message.ts";
import type { Arrival } from "./arrival.ts";
import { eventRow } from "./arrival.ts";
import { limitedText } from "./shown-text.ts";

/**
 * IN-11: an edit of a message that started nothing is decided again as if it had been written so; any other replaces the
 * text before the claim and is at most a notice after it. No edit runs a command.
 */
export async function acceptEdit(arrival: Arrival): Promise<AcceptResult> {
  const { event, facts, deps, index, commands } = arrival;
  const seen = seenBefore(arrival);
  if (seen !== null) return seen;
  if (event.sender.isSelf) return ignoreEvent(arrival, eventRules.ownEdit);
  if (event.target === null) return ignoreEvent(arrival, eventRules.editWithoutTarget);
  const known = facts.known.get(event.target) ?? null;
  const asMessage: InboundEvent = { ...event, kind: "message" };
  if (known !== null && (known.result === "kept" || known.result === "ignored")) {
    const again = { ...arrival, event: asMessage };
    const decision = decideArrival(again);
    if (decision.decision === "message") {
      const row = eventRow(asMessage, event.target);
      return storeDecision({ arrival: again, row, known, edit: eventRow(event) }, decision);
    }
  }
  const text = limitedText(commands.cutDirectives(asMessage).text);
  const notice = index.settings.messages.edits === "notify" ? editNotice(event, text) : null;
  const outcome = await deps.store.step(editEvent, { row: eventRow(event), target: event.target, text, notice });
  return resultOf(outcome);
}

/** IN-11: a deletion before the claim withdraws the message. */
export async function acceptDeletion(arrival: Arrival): Promise<AcceptResult> {
  const { event, deps } = arrival;
  const seen = seenBefore(arrival);
  if (seen !== null) return seen;
  if (event.target === null) return ignoreEvent(arrival, eventRules.deletionWithoutTarget);
  return resultOf(await deps.store.step(withdrawEvent, { row: eventRow(event), target: event.target }));
}

/** TB-6: what happened to a thread, or to a whole chat. It comes from the platform itself, so no access rule is checked. */
export async function acceptThreadChange(arrival: Arrival): Promise<AcceptResult> {
  const { event, deps } = arrival;
  const seen = seenBefore(arrival);
  if (seen !== null) return seen;
  if (event.threadChange === undefined) return ignoreEvent(arrival, eventRules.threadChangeUnknown);
  const { what } = event.threadChange;
  const rule = await deps.store.step(changeThread, { row: eventRow(event), route: event.route, what });
  return { result: "ignored", rule };
}

/** Stores that an event starts nothing, once. */
export async function ignoreEvent(arrival: Arrival, rule: string): Promise<AcceptResult> {
  const seen = seenBefore(arrival);
  if (seen !== null) return seen;
  const nothing = { kept: null, notice: null, pairing: null, failure: null };
  const refusal = { row: eventRow(arrival.event), expected: null, result: "ignored", rule, ...nothing } as const;
  await arrival.deps.store.step(refusalStep(refusal), refusal);
  return { result: "ignored", rule };
}

function seenBefore({ event, facts }: Arrival): AcceptResult | null {
  const known = facts.known.get(identityKey(event.identity));
  return known === undefined ? null : { result: "duplicate", rule: eventRules.seenBefore(known.result) };
}

function resultOf(outcome: EditOutcome): AcceptResult {
  if (outcome.result === "ignored") return { result: "ignored", rule: outcome.rule };
  return { result: outcome.result, sessionKey: outcome.sessionKey, rule: outcome.rule };
}

function editNotice(event: InboundEvent, text: string): string {
  return notices.edited(promptName(event.sender.name), event.identity.messageId, text);
}
