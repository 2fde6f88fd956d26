import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { AgentId, ChannelId } from "../../../core/ids.ts";
import type { InboxPayload } from "../../../core/message/inbox-item.ts";
import { isGathering, mustWait, settledPayload } from "../../../core/message/inbox-item.ts";
import type { Provenance } from "../../../core/message/transcript.ts";
import { queueWith } from "../../../core/message/turn-inputs.ts";
import type { Rights } from "../../../core/session/rights.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { ALBUM_PART } from "../../../core/texts/store/outcomes.ts";
import { useBinding } from "../../parts/bind.ts";
import { capQueue, type QueueOverflow } from "../../parts/cap-queue.ts";
import { EventChanged, type EventOutcome, type EventRow, type Expected, storeEvent } from "../../parts/event-row.ts";
import { dueFor, endBursts, insertInput, joinInput } from "../../parts/inputs.ts";
import { type ContextSource, withContext } from "../../parts/kept-context.ts";
import { resetWhenFree } from "../../parts/new-life.ts";
import { noteDirectMessage } from "../../parts/session-log.ts";
import { ensureSession } from "../../parts/sessions.ts";
import { type SharedCommand, takenBy } from "../../reads/inbound/accept-facts.ts";
import { defineStatement } from "../../statement.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface AcceptEventInput {
  readonly row: EventRow;
  /** What was known of the event when it was decided. */
  readonly expected: Expected;
  readonly rule: string;
  readonly session: { readonly key: SessionKey; readonly agentId: AgentId; readonly channel: ChannelId };
  readonly parent: { readonly key: SessionKey; readonly route: Route | null } | null;
  readonly route: Route;
  readonly rights: Rights;
  readonly provenance: Provenance;
  readonly payload: Extract<InboxPayload, { readonly kind: "event" | "command" }>;
  readonly updatesLastRoute: boolean;
  /** Whether the session's automatic reset is due, by when a person last wrote (TN-13). */
  readonly resetDue: (lastHumanAt: number) => boolean;
  /** The binding that brought it here (TB-3), after every access rule allowed the message (FC-190); null: none. */
  readonly bindingId: string | null;
  /** The kept unaddressed messages that this one is shown with (IN-7); null: none can be. */
  readonly context: ContextSource | null;
  /** The configured queue of its channel, and what people are told when it is full (TN-3). */
  readonly queue: Pick<QueueOverflow, "queue" | "notice">;
  /** Unaddressed parts of the same album that came before; their attachments are in the payload (IN-12). */
  readonly absorbed: readonly string[];
  /** CM-17: a command that another account may already run, which makes this step fail; null: only this account can run it. */
  readonly onlyHere: SharedCommand | null;
  /** The edit that made the message start something; stored with it (IN-11). */
  readonly edit: EventRow | null;
}

export interface Accepted {
  readonly result: "accepted" | "command" | "merged";
  readonly inboxSeq: number;
}

/**
 * The way in (IN-2, IN-3): the event's identity, its session with its parent's (SK-5), last route (IN-16), kept context
 * (IN-7) and the input itself, in one transaction that is on disk before the platform is told. Rejects with `EventChanged`
 * when another arrival of the same event was stored meanwhile; then nothing was changed.
 */
export const acceptEvent = defineStep(
  "accept-event",
  "full",
  async (context, input: AcceptEventInput): Promise<Accepted> => {
    const { session, parent, route, onlyHere } = input;
    if (onlyHere !== null && (await takenBy(context.db, { ...onlyHere, channel: route.channel })) !== null) {
      throw new EventChanged(input.row.identity);
    }
    if (parent !== null) await ensureSession(context, { ...session, key: parent.key, originRoute: parent.route });
    const stored = await ensureSession(context, { ...session, originRoute: route });
    await resetIfDue(context, stored, input);
    await noteHuman(context, input);
    if (input.bindingId !== null) await useBinding(context, input.bindingId);
    await forgetKept(context, input);
    const joined = await joinOpen(context, input);
    const inboxSeq = joined ?? (await storeInput(context, stored, input));
    const result = input.payload.kind === "command" ? "command" : joined === null ? "accepted" : "merged";
    const outcome: EventOutcome = { result, rule: input.rule, sessionKey: session.key, inboxSeq };
    await storeEvent(context, { row: input.row, outcome, expected: input.expected });
    if (result === "accepted") {
      const queue = queueWith(input.queue.queue, stored.queue);
      await capQueue(context, { sessionKey: session.key, queue, notice: input.queue.notice });
    }
    if (stored.watched && result !== "command" && !input.row.fromBot) {
      await noteDirectMessage(context, {
        sessionKey: session.key,
        actor: input.row.senderId,
        channel: session.channel,
      });
    }
    await absorb(context, input, inboxSeq);
    if (input.edit !== null) await storeEvent(context, { row: input.edit, outcome, expected: null });
    return { result, inboxSeq };
  },
);

/** Judged before the message itself counts as the last human interaction; what bots write never resets a session. */
async function resetIfDue(context: StepContext, session: Session, input: AcceptEventInput): Promise<void> {
  if (input.row.fromBot || session.lastHumanAt === null) return;
  if (!session.resetDue && !input.resetDue(session.lastHumanAt)) return;
  await resetWhenFree(context, session, { kind: input.payload.kind, identity: input.row.identity });
}

async function noteHuman({ db, now }: StepContext, input: AcceptEventInput): Promise<void> {
  if (input.row.fromBot) return;
  const { key } = input.session;
  if (input.updatesLastRoute) await heardFrom.run(db, { key, now, route: JSON.stringify(input.route) });
  else await heard.run(db, { key, now });
  // CM-11: who talks with a session uses it again. A command about it is no talk, or /archive would undo itself.
  if (input.payload.kind === "command") return;
  await takenOut.run(db, { key });
}

const heard = defineStatement((db, p: { readonly key: SessionKey; readonly now: number }) =>
  db.updateTable("sessions").set({ last_human_at: p.now, updated_at: p.now }).where("key", "=", p.key),
);

const heardFrom = defineStatement((db, p: { readonly key: SessionKey; readonly now: number; readonly route: string }) =>
  db
    .updateTable("sessions")
    .set({ last_human_at: p.now, updated_at: p.now, last_route_json: p.route })
    .where("key", "=", p.key),
);

const takenOut = defineStatement((db, p: { readonly key: SessionKey }) =>
  db.updateTable("sessions").set({ archived_at: null }).where("key", "=", p.key).where("archived_at", "is not", null),
);

/** A message that was kept as context and is decided again is an input now, not context too (IN-2). */
async function forgetKept({ db }: StepContext, input: AcceptEventInput): Promise<void> {
  const identities = input.expected === null ? input.absorbed : [...input.absorbed, input.row.identity];
  if (identities.length === 0) return;
  await db.deleteFrom("pending_context").where("identity", "in", identities).execute();
}

async function absorb({ db }: StepContext, input: AcceptEventInput, inboxSeq: number): Promise<void> {
  if (input.absorbed.length === 0) return;
  await db
    .updateTable("inbound_events")
    .set({ result: "merged", rule: ALBUM_PART, session_key: input.session.key, inbox_seq: inboxSeq })
    .where("identity", "in", input.absorbed)
    .execute();
}

async function joinOpen(context: StepContext, input: AcceptEventInput): Promise<number | null> {
  const { payload, row } = input;
  const sessionKey = input.session.key;
  const conversation = conversationKey(input.route);
  if (input.expected !== null && input.expected.inboxSeq !== null) return null;
  if (payload.kind === "command") {
    await endBursts(context, { sessionKey, conversation, senderId: row.senderId });
    return null;
  }
  return isGathering(payload) ? joinInput(context, { sessionKey, conversation, payload }) : null;
}

async function storeInput(context: StepContext, { sessionId }: Session, input: AcceptEventInput): Promise<number> {
  const { expected, session, row, route, rights, provenance } = input;
  const whole = await withContext(context, { ...input, life: sessionId });
  const payload = whole.kind === "event" ? settledPayload(whole, context.now) : whole;
  if (expected !== null && expected.inboxSeq !== null) return replaceInput(context, input, payload);
  const held = mustWait(payload, context.now);
  if (held) await dueFor(context, { key: row.identity, sessionKey: session.key, payload });
  const seq = await insertInput(context, {
    key: row.identity,
    sessionKey: session.key,
    payload,
    provenance,
    route,
    rights,
    cause: row.link ?? row.identity,
    state: held ? "held" : "waiting",
  });
  if (seq === null) throw new EventChanged(row.identity);
  return seq;
}

/** IN-2: a later arrival said what the first did not, and no turn has taken the input: it moves to where it belongs. */
async function replaceInput(context: StepContext, input: AcceptEventInput, payload: InboxPayload): Promise<number> {
  const { expected, session, row } = input;
  const state = await dueFor(context, { key: row.identity, sessionKey: session.key, payload });
  const replaced = await context.db
    .updateTable("inbox")
    .set({
      session_key: session.key,
      payload_json: JSON.stringify(payload),
      route_json: JSON.stringify(input.route),
      conversation: conversationKey(input.route),
      rights_json: JSON.stringify(input.rights),
      state,
    })
    .where("seq", "=", expected?.inboxSeq ?? -1)
    .where("state", "in", ["held", "waiting"])
    .returning("seq")
    .executeTakeFirst();
  if (replaced === undefined) throw new EventChanged(row.identity);
  return replaced.seq;
}
