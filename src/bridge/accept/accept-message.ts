import { conversationKey, type NewDelivery, type Route } from "../../core/delivery/delivery.ts";
import {
  type AcceptResult,
  factsOf,
  identityKey,
  sameFacts,
  unionFacts,
  withFacts,
} from "../../core/message/inbound-event.ts";
import type { EventPayload } from "../../core/message/inbox-item.ts";
import { channelQueue, type QueueSettings } from "../../core/message/turn-inputs.ts";
import { assertNever } from "../../core/runtime.ts";
import { notices } from "../../core/texts/chat/notices.ts";
import { eventRules } from "../../core/texts/rules.ts";
import { type Decision, decide, type Start } from "../../routing/decide.ts";
import { resetJudge } from "../../routing/places.ts";
import type { KnownEvent } from "../../store/reads/inbound/accept-facts.ts";
import { type AcceptEventInput, acceptEvent } from "../../store/steps/inbound/accept-event.ts";
import { mergeFacts } from "../../store/steps/inbound/merge-into-held.ts";
import {
  type Arrival,
  boundHere,
  commandPayload,
  eventRow,
  expectedOf,
  humanProvenance,
  messagePayload,
  storedFacts,
  type Undecided,
} from "./arrival.ts";
import { recordDecidedRefusal } from "./refusal.ts";
import { triage } from "./release.ts";

/** A message or a native command (IN-2). */
export async function acceptMessage(arrival: Arrival): Promise<AcceptResult> {
  const known = arrival.facts.known.get(identityKey(arrival.event.identity)) ?? null;
  if (known === null) {
    const undecided = { arrival, row: eventRow(arrival.event), known, edit: null };
    return storeDecision(undecided, decideArrival(arrival));
  }
  return acceptAgain(arrival, known);
}

export function decideArrival(arrival: Arrival): Decision {
  const { event, index, account, commands, rates, now, platformNow, deps } = arrival;
  const stored = storedFacts(arrival);
  const door = deps.door(event.route.channel);
  const decision = decide(event, { index, account, commands, stored, platformNow, door });
  rates.note(event, decision, now);
  return decision;
}

/** IN-2: a second arrival runs nothing, unless it brings facts the first lacked and no turn has begun with them. */
async function acceptAgain(first: Arrival, known: KnownEvent): Promise<AcceptResult> {
  const duplicate: AcceptResult = { result: "duplicate", rule: eventRules.seenBefore(known.result) };
  if (known.result === "parked" || known.result === "stale") return duplicate;
  const union = unionFacts(known.facts, factsOf(first.event));
  // FC-333: its sender has been allowed since.
  const isAdmitted = first.isHeld && known.result === "refused";
  if (!isAdmitted && sameFacts(known.facts, union)) return duplicate;
  const arrival = { ...first, event: withFacts(first.event, union) };
  const undecided = { arrival, row: eventRow(arrival.event), known, edit: null };
  const startedNothing = known.result === "kept" || known.result === "ignored" || known.result === "refused";
  // What was an input and left a full queue (TN-3) is not decided again: its refusal has nothing to do with its facts.
  if (startedNothing && known.inboxSeq === null) return storeDecision(undecided, decideArrival(arrival));
  const { item } = known;
  const open = item !== null && (item.state === "held" || item.state === "waiting") && item.payload.kind === "event";
  if (!open) return duplicate;
  const decision = decideArrival(arrival);
  const alone = item.payload.kind === "event" && (item.payload.gathering?.parts.length ?? 1) === 1;
  if (alone && decision.decision === "message" && decision.start.place.key !== known.sessionKey) {
    return storeDecision(undecided, decision);
  }
  const refs = new Set(known.facts.attachments.map((attachment) => attachment.ref));
  const added = union.attachments.filter((attachment) => !refs.has(attachment.ref));
  const expected = { result: known.result, inboxSeq: known.inboxSeq };
  const merged = await arrival.deps.store.step(mergeFacts, { row: undecided.row, expected, facts: union, added });
  if (!merged) return duplicate;
  return { result: "merged", sessionKey: known.sessionKey, rule: eventRules.merged };
}

/** Stores a decision. */
export async function storeDecision(undecided: Undecided, decision: Decision): Promise<AcceptResult> {
  switch (decision.decision) {
    case "message":
      return start(undecided, decision.start, messageFor(undecided, decision));
    case "command": {
      const payload = commandPayload(undecided.arrival.event, decision.command, decision.denied);
      return start(undecided, decision.start, { payload, absorbed: [] });
    }
    case "keep":
    case "refuse":
      return recordDecidedRefusal(undecided, decision);
    default:
      return assertNever(decision);
  }
}

type Content = Pick<AcceptEventInput, "payload" | "absorbed">;

function messageFor(
  { arrival, row, known }: Undecided,
  decision: Extract<Decision, { readonly decision: "message" }>,
): Content {
  const { event, index, now, facts } = arrival;
  const parts = facts.album.filter((part) => part.result === "kept" || part.result === "ignored");
  const earlier = parts.flatMap((part) =>
    part.facts.attachments.map((attachment) => ({ ...attachment, identity: part.identity })),
  );
  const { text, thinking, plain } = decision;
  const fresh = messagePayload({
    event,
    identity: row.identity,
    text,
    thinking,
    plain,
    earlier,
    settings: index.settings,
    now,
  });
  return { payload: withStored(fresh, known), absorbed: parts.map((part) => part.identity) };
}

/** What an input that moves to another session has already got: fetched files and the context it took. */
function withStored(fresh: EventPayload, known: KnownEvent | null): EventPayload {
  const before = known?.item?.payload;
  if (before === undefined || before.kind !== "event" || fresh.gathering === undefined) return fresh;
  const own = new Set(known?.facts.attachments.map((one) => one.ref));
  const added = fresh.gathering.attachments.filter(
    ({ ref, identity }) => identity === known?.identity && !own.has(ref),
  );
  return {
    ...fresh,
    attachments: before.attachments,
    attachmentNotes: before.attachmentNotes,
    context: before.context,
    gathering: { ...fresh.gathering, attachments: [...(before.gathering?.attachments ?? []), ...added] },
  };
}

async function start(undecided: Undecided, how: Start, content: Content): Promise<AcceptResult> {
  const { arrival, row, known, edit } = undecided;
  const { event, deps, index } = arrival;
  const { place } = how;
  const group = event.peer.kind !== "direct";
  const accepted = await deps.store.step(acceptEvent, {
    row,
    expected: expectedOf(known),
    rule: how.rule,
    session: { key: place.key, agentId: how.agentId, channel: event.route.channel },
    parent: place.parent,
    route: place.route,
    rights: how.rights,
    provenance: humanProvenance(event),
    ...content,
    updatesLastRoute: how.updatesLastRoute,
    resetDue: resetJudge(
      index.settings,
      { key: place.key, channel: event.route.channel },
      { now: arrival.now, localTime: deps.localTime },
    ),
    onlyHere: content.payload.kind === "command" ? (arrival.shared?.command ?? null) : null,
    bindingId: boundHere(arrival)?.id ?? null,
    context: group && content.payload.kind === "event" ? contextFor(arrival, how) : null,
    queue: {
      queue: channelQueue(index.settings.messages.queue, event.route.channel),
      notice: (queue) => queueFullNotice(arrival, place.route, queue),
    },
    edit,
  });
  return { result: accepted.result, sessionKey: place.key, rule: how.rule };
}

function contextFor({ event, index }: Arrival, { contextKeys }: Start): AcceptEventInput["context"] {
  const { historyLimit, contextFiles } = index.settings.messages;
  const { maxBytes } = index.settings.media;
  return {
    keys: contextKeys,
    threadRoot: event.threadRoot ?? null,
    limit: historyLimit,
    files: { limit: contextFiles, isUsable: (file) => triage([file], maxBytes).fetch.length > 0 },
  };
}

/** One notice per conversation in this time (TN-16). */
const NOTICE_WINDOW_MS = 15_000;

/** What people are told when a message is dropped because too many wait (TN-3, FC-119). */
export function queueFullNotice({ deps, now }: Arrival, route: Route, { cap, drop }: QueueSettings): NewDelivery {
  const text = notices.queueFull(cap, drop === "new" ? "new" : "old");
  const { channel, accountId } = route;
  return {
    key: `queue-full:${conversationKey(route)}:${Math.floor(now / NOTICE_WINDOW_MS)}`,
    route,
    content: {
      kind: "message",
      piece: deps.renderNotice({ channel, accountId }, text),
      replyTo: null,
      private: false,
    },
  };
}
