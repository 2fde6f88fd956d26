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
import type { SessionKey } from "../../core/session/session-key.ts";
import { notices } from "../../core/texts/chat/notices.ts";
import { eventRules } from "../../core/texts/rules.ts";
import { RATE_WINDOW_MS } from "../../routing/agent-rules.ts";
import { type Decision, decide, type Start } from "../../routing/decide.ts";
import { PAIRING_LIFE_MS, PAIRING_MAX_WAITING, pairingCode } from "../../routing/pairing.ts";
import { resetJudge } from "../../routing/places.ts";
import type { KnownEvent } from "../../store/reads/inbound/accept-facts.ts";
import { pairingRequests } from "../../store/reads/people/people.ts";
import { type AcceptEventInput, acceptEvent } from "../../store/steps/inbound/accept-event.ts";
import { mergeFacts } from "../../store/steps/inbound/merge-into-held.ts";
import { type KeptContext, type RecordRefusalInput, refusalStep } from "../../store/steps/inbound/record-refusal.ts";
import {
  type Arrival,
  boundHere,
  commandPayload,
  eventRow,
  expectedOf,
  humanProvenance,
  keptText,
  messagePayload,
  storedFacts,
  type Undecided,
} from "./arrival.ts";

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
  const { event, index, account, commands, now, deps } = arrival;
  const stored = storedFacts(arrival);
  return decide(event, { index, account, commands, stored, now, door: deps.door(event.route.channel) });
}

/** IN-2: a second arrival runs nothing, unless it brings facts the first lacked and no turn has begun with them. */
async function acceptAgain(first: Arrival, known: KnownEvent): Promise<AcceptResult> {
  const duplicate: AcceptResult = { result: "duplicate", rule: eventRules.seenBefore(known.result) };
  if (known.result === "parked" || known.result === "stale") return duplicate;
  const union = unionFacts(known.facts, factsOf(first.event));
  if (sameFacts(known.facts, union)) return duplicate;
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
  const unfetched = new Set(before.gathering?.attachments.map((attachment) => attachment.ref) ?? []);
  const settled = new Set(known?.facts.attachments.map((one) => one.ref).filter((ref) => !unfetched.has(ref)));
  return {
    ...fresh,
    attachments: before.attachments,
    attachmentNotes: before.attachmentNotes,
    context: before.context,
    gathering: {
      ...fresh.gathering,
      attachments: fresh.gathering.attachments.filter((attachment) => !settled.has(attachment.ref)),
    },
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
    contextKeys: group && content.payload.kind === "event" ? how.contextKeys : [],
    historyLimit: index.settings.messages.historyLimit,
    queue: {
      queue: channelQueue(index.settings.messages.queue, event.route.channel),
      notice: (queue) => queueFullNotice(arrival, place.route, queue),
    },
    edit,
  });
  return { result: accepted.result, sessionKey: place.key, rule: how.rule };
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

type StartsNothing = Extract<Decision, { readonly decision: "keep" | "refuse" }>;
type Effects = Pick<RecordRefusalInput, "notice" | "pairing" | "failure"> & { readonly rule: string };

/** Stores why an event starts nothing (IN-17), and tells who is to be told: the person once, the operator always. */
export async function recordDecidedRefusal(undecided: Undecided, decision: StartsNothing): Promise<AcceptResult> {
  const { arrival, row, known } = undecided;
  const kept = decision.decision === "keep" ? keptContext(arrival, decision.key) : null;
  const result = decision.decision === "refuse" ? decision.result : kept === null ? "ignored" : "kept";
  const effects = answered(arrival, await effectsOf(arrival, decision));
  // Decided again, nobody is told a second time: the first arrival did that.
  const told = known === null ? effects : { ...effects, notice: null, pairing: null, failure: null };
  const refusal: RecordRefusalInput = { row, expected: expectedOf(known), result, kept, ...told };
  await arrival.deps.store.step(refusalStep(refusal), refusal);
  if (result === "kept") return { result, rule: effects.rule, sessionKey: kept?.sessionKey ?? null };
  return { result, rule: effects.rule };
}

/** IN-7: unaddressed messages of people are kept, up to `historyLimit`. */
function keptContext({ event, index }: Arrival, sessionKey: SessionKey): KeptContext | null {
  const limit = index.settings.messages.historyLimit;
  const text = keptText(event);
  return limit <= 0 || text === "" ? null : { sessionKey, senderName: event.sender.name, text, limit };
}

async function effectsOf(arrival: Arrival, decision: StartsNothing): Promise<Effects> {
  const none = { notice: null, pairing: null, failure: null, rule: decision.rule };
  if (decision.decision === "keep") return none;
  const { event, now, index, deps } = arrival;
  const { route } = event;
  const place = `${route.channel}/${route.accountId}`;
  if (decision.result === "stale") {
    const message = eventRules.missed(place, event.peer.label ?? event.peer.id);
    const subject = `${place}/${route.to}/${route.threadId ?? ""}`;
    const since = now - index.settings.catchUpMaxAgeMs;
    return { ...none, failure: { kind: "catch_up", subject, sessionKey: null, message, since } };
  }
  switch (decision.tell) {
    case null:
      return none;
    case "pairing":
      return pairingEffects(arrival, decision.rule);
    case "rate limit": {
      const subject = `${place}/${event.sender.id}`;
      const message = eventRules.reached(subject, decision.rule);
      const text = notices.tooFast;
      const failure = { kind: "limit" as const, subject, sessionKey: null, message, since: now - RATE_WINDOW_MS };
      return { ...none, notice: notice(arrival, text), failure };
    }
    case "no agent": {
      deps.log.warn({ channel: route.channel, account: route.accountId, rule: decision.rule }, "no agent for an event");
      const failure = { kind: "inbound" as const, subject: decision.rule, sessionKey: null, message: decision.rule };
      return { ...none, failure: { ...failure, since: now - 3_600_000 } };
    }
    default:
      return assertNever(decision.tell);
  }
}

/** IN-5: one short message with the code, the same one while it lives; when too many wait, nothing. */
async function pairingEffects(arrival: Arrival, rule: string): Promise<Effects> {
  const { event, deps, now } = arrival;
  const account = { channel: event.route.channel, accountId: event.accountId };
  const waiting = await deps.store.read(pairingRequests, { now, account });
  const mine = waiting.find((request) => request.senderId === event.sender.id);
  if (mine === undefined && waiting.length >= PAIRING_MAX_WAITING) {
    return {
      notice: null,
      pairing: null,
      failure: null,
      rule: eventRules.tooManyPairings(rule, PAIRING_MAX_WAITING),
    };
  }
  const code = mine?.code ?? pairingCode();
  const pairing = {
    ...account,
    senderId: event.sender.id,
    senderName: event.sender.name,
    code,
    expiresAt: mine?.expiresAt ?? now + PAIRING_LIFE_MS,
    maxWaiting: PAIRING_MAX_WAITING,
  };
  return { notice: notice(arrival, notices.pairing(account.channel, code)), pairing, failure: null, rule };
}

/** FC-330: a native call is acknowledged already, so its person waits for an answer: whatever refuses it says so there. */
function answered(arrival: Arrival, effects: Effects): Effects {
  const { kind, sender } = arrival.event;
  if (kind !== "command" || sender.isSelf || sender.isBot || effects.notice !== null) return effects;
  return { ...effects, notice: notice(arrival, notices.commandRefused) };
}

/** Keyed by the event, so that the same arrival stored twice sends it once (DL-2). A native call is answered in place, privately. */
function notice({ event, deps }: Arrival, text: string): NewDelivery {
  const { route, identity } = event;
  const piece = deps.renderNotice({ channel: route.channel, accountId: route.accountId }, text);
  const key = `notice:${[identity.channel, identity.botId, identity.conversation, identity.messageId].join("/")}`;
  const id = event.command?.interactionId;
  const inPlace = id === undefined ? {} : { interaction: { id, first: true } };
  return {
    key,
    route,
    content: { kind: "message", piece, replyTo: null, private: event.kind === "command", ...inPlace },
  };
}
