import type { NewDelivery } from "../../core/delivery/delivery.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { Provenance } from "../../core/message/transcript.ts";
import type { QueueSettings } from "../../core/message/turn-inputs.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import {
  countedMore,
  moreMessages,
  queueOverflowed,
  shortenedMessage,
} from "../../core/texts/agent/session-notices.ts";
import { queueDropped, queueShortened } from "../../core/texts/store/outcomes.ts";
import { inboxItemFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { insertInput } from "./inputs.ts";
import { insertDeliveries } from "./outbox.ts";
import { insertFailure } from "./record-failure.ts";

/** What is kept of a shortened message, in characters. */
const OPENING = 160;
/** So many of them are told one by one; of more, only how many there were: those are left out like what is dropped. */
const TOLD = 20;

/** Where a notice of shortened messages comes from; `forget` finds it by this (OP-10). */
export const FROM_QUEUE: Provenance = { kind: "system", source: "queue" };

export interface QueueOverflow {
  readonly sessionKey: SessionKey;
  readonly queue: QueueSettings;
  /** One line to the people of the conversation, for messages that are dropped whole; its key bounds how often it is said. */
  readonly notice: (queue: QueueSettings) => NewDelivery;
}

const waitingEvents = defineStatement(
  (db, p: { readonly sessionKey: SessionKey; readonly offset: number; readonly limit: number }) =>
    db
      .selectFrom("inbox")
      .selectAll()
      .where("session_key", "=", p.sessionKey)
      .where("settled_at", "is", null)
      .where("state", "=", "waiting")
      .where("kind", "=", "event")
      .orderBy("seq", "desc")
      .offset(p.offset)
      .limit(p.limit),
);

/**
 * Part of a step: messages beyond the cap leave the queue (TN-3): the oldest, or with `drop: new` the one that came last. Nothing
 * vanishes unseen (FC-119): `summarize` tells the next turn how each began, as long as they fit; whatever is left out whole is
 * counted for the next turn, and the people of the conversation and the operator are told. `/why` names the rule.
 */
export async function capQueue(context: StepContext, overflow: QueueOverflow): Promise<void> {
  const { queue, sessionKey } = overflow;
  const dropped = await beyondCap(context, overflow);
  const [first] = dropped;
  if (first === undefined) return;
  const notice = await openNotice(context, overflow, first);
  let leftOut: string | null = null;
  for (const item of dropped) {
    const line = queue.drop === "summarize" ? opening(item) : null;
    const isTold = notice.add(line);
    const rule = isTold ? queueShortened(queue.cap) : queueDropped(queue, TOLD);
    await withdraw(context, item, isTold ? { result: "merged", rule, seq: notice.seq } : { result: "refused", rule });
    if (!isTold) leftOut = rule;
  }
  await notice.store();
  if (leftOut === null) return;
  await insertDeliveries(context, { deliveries: [overflow.notice(queue)], sessionKey, turnId: null, runId: null });
  await insertFailure(context, { kind: "limit", subject: first.key, sessionKey, message: leftOut });
}

/** Oldest first. */
async function beyondCap({ db }: StepContext, { sessionKey, queue }: QueueOverflow): Promise<readonly InboxItem[]> {
  const beyond = await waitingEvents.all(db, { sessionKey, offset: queue.cap, limit: queue.cap });
  if (beyond.length === 0) return [];
  if (queue.drop !== "new") return beyond.map(inboxItemFromRow).reverse();
  const newest = await waitingEvents.all(db, { sessionKey, offset: 0, limit: beyond.length });
  return newest.map(inboxItemFromRow).reverse();
}

/** What is told of a message in a notice goes its way from there: the turn that takes the notice has read it (IN-17). */
async function withdraw(
  { db, now }: StepContext,
  item: InboxItem,
  { result, rule, seq }: { readonly result: string; readonly rule: string; readonly seq?: number },
): Promise<void> {
  await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", item.seq).execute();
  const became = seq === undefined ? { result, rule } : { result, rule, inbox_seq: seq };
  await db.updateTable("inbound_events").set(became).where("inbox_seq", "=", item.seq).execute();
}

interface OpenNotice {
  readonly seq: number;
  /** Whether the line fits; one that does not, or null, is only counted. */
  add(line: string | null): boolean;
  store(): Promise<void>;
}

/** The notice for the next turn; created if none is waiting. */
async function openNotice(
  context: StepContext,
  { sessionKey, queue }: QueueOverflow,
  first: InboxItem,
): Promise<OpenNotice> {
  const { db } = context;
  const before = await waitingNotice(context, sessionKey);
  let lines = before?.payload.kind === "notice" ? before.payload.text.split("\n").slice(1) : [];
  const payload = () => ({
    kind: "notice" as const,
    text: [queueOverflowed(queue.cap), ...lines].join("\n"),
    wakes: false,
  });
  const seq = before?.seq ?? (await insertNotice(context, sessionKey, first, payload()));
  return {
    seq,
    add: (line) => {
      const { lines: longer, isTold } = added(lines, line);
      lines = longer;
      return isTold;
    },
    store: async () => {
      const payloadJson = JSON.stringify(payload());
      await db.updateTable("inbox").set({ payload_json: payloadJson }).where("seq", "=", seq).execute();
    },
  };
}

async function waitingNotice({ db }: StepContext, sessionKey: SessionKey): Promise<InboxItem | null> {
  const row = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .where("kind", "=", "notice")
    .where("key", "like", "queue:%")
    .executeTakeFirst();
  return row === undefined ? null : inboxItemFromRow(row);
}

async function insertNotice(
  context: StepContext,
  sessionKey: SessionKey,
  first: InboxItem,
  payload: InboxItem["payload"],
): Promise<number> {
  const seq = await insertInput(context, {
    key: `queue:${first.key}`,
    sessionKey,
    payload,
    provenance: FROM_QUEUE,
    route: null,
    rights: NO_RIGHTS,
    cause: first.cause,
  });
  if (seq === null) throw new Error(`a message leaves the queue twice: ${first.key}`);
  return seq;
}

function added(lines: readonly string[], line: string | null): { readonly lines: string[]; readonly isTold: boolean } {
  const more = countedMore(lines.at(-1) ?? "");
  const told = more === null ? lines : lines.slice(0, -1);
  if (line !== null && told.length < TOLD) {
    return { lines: [...told, line, ...(more === null ? [] : [moreMessages(more)])], isTold: true };
  }
  return { lines: [...told, moreMessages((more ?? 0) + 1)], isTold: false };
}

function opening({ payload }: InboxItem): string {
  if (payload.kind !== "event") return "";
  const text = [...payload.text].slice(0, OPENING).join("");
  return shortenedMessage({ sender: payload.senderName, text, files: payload.attachments.length });
}
