import type { NewDelivery } from "../../core/delivery.ts";
import type { InboxItem } from "../../core/inbox-item.ts";
import type { QueueSettings } from "../../core/queue.ts";
import { NO_RIGHTS } from "../../core/rights.ts";
import type { SessionKey } from "../../core/session-key.ts";
import { inboxItemFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { insertDeliveries } from "./insert-deliveries.ts";
import { insertInput } from "./insert-input.ts";
import { insertFailure } from "./record-failure.ts";

/** What is kept of a shortened message, in characters. */
const OPENING = 160;
/** So many of them are told one by one; of more, only how many there were. */
const TOLD = 20;

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
 * vanishes unseen (FC-119): `summarize` tells the next turn how each began, the others tell it how many there were, and the
 * people of the conversation and the operator too. `/why` names the rule.
 */
export async function capQueue(context: StepContext, overflow: QueueOverflow): Promise<void> {
  const { queue } = overflow;
  const dropped = await beyondCap(context, overflow);
  const rule = `messages.queue.cap is ${queue.cap}: ${queue.drop === "summarize" ? "shortened into a notice" : `dropped (drop: ${queue.drop})`}`;
  for (const item of dropped) {
    await withdraw(context, item, rule, queue.drop === "summarize" ? "merged" : "refused");
    await tellAgent(context, overflow, item);
  }
  const [first] = dropped;
  if (first === undefined || queue.drop === "summarize") return;
  await insertDeliveries(context, {
    deliveries: [overflow.notice(queue)],
    sessionKey: overflow.sessionKey,
    turnId: null,
    runId: null,
  });
  await insertFailure(context, { kind: "limit", subject: first.key, sessionKey: overflow.sessionKey, message: rule });
}

/** Oldest first. */
async function beyondCap({ db }: StepContext, { sessionKey, queue }: QueueOverflow): Promise<readonly InboxItem[]> {
  const beyond = await waitingEvents.all(db, { sessionKey, offset: queue.cap, limit: queue.cap });
  if (beyond.length === 0) return [];
  if (queue.drop !== "new") return beyond.map(inboxItemFromRow).reverse();
  const newest = await waitingEvents.all(db, { sessionKey, offset: 0, limit: beyond.length });
  return newest.map(inboxItemFromRow).reverse();
}

async function withdraw({ db, now }: StepContext, item: InboxItem, rule: string, result: string): Promise<void> {
  await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", item.seq).execute();
  await db.updateTable("inbound_events").set({ result, rule }).where("inbox_seq", "=", item.seq).execute();
}

async function tellAgent(context: StepContext, { sessionKey, queue }: QueueOverflow, item: InboxItem): Promise<void> {
  const { db } = context;
  const row = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .where("kind", "=", "notice")
    .where("key", "like", "queue:%")
    .executeTakeFirst();
  const before = row === undefined ? null : inboxItemFromRow(row);
  const lines = before?.payload.kind === "notice" ? before.payload.text.split("\n").slice(1) : [];
  const text = [
    `more than ${queue.cap} messages waited; these came too and are shortened or left out:`,
    ...added(lines, queue.drop === "summarize" ? opening(item) : null),
  ].join("\n");
  const payload = { kind: "notice", text, wakes: false } as const;
  if (before !== null) {
    await db
      .updateTable("inbox")
      .set({ payload_json: JSON.stringify(payload) })
      .where("seq", "=", before.seq)
      .execute();
    return;
  }
  await insertInput(context, {
    key: `queue:${item.key}`,
    sessionKey,
    payload,
    provenance: { kind: "system", source: "queue" },
    route: null,
    rights: NO_RIGHTS,
    cause: item.cause,
  });
}

/** `line` null: it is only counted. */
function added(lines: readonly string[], line: string | null): readonly string[] {
  const more = /^- and (\d+) more$/.exec(lines.at(-1) ?? "");
  const told = more === null ? lines : lines.slice(0, -1);
  const count = Number(more?.[1] ?? 0);
  if (line !== null && told.length < TOLD) return [...told, line, ...(more === null ? [] : [`- and ${count} more`])];
  return [...told, `- and ${count + 1} more`];
}

function opening({ payload }: InboxItem): string {
  if (payload.kind !== "event") return "";
  const files = payload.attachments.length === 0 ? "" : ` (with ${payload.attachments.length} files)`;
  const text = [...payload.text].slice(0, OPENING).join("");
  return `- ${JSON.stringify(payload.senderName)}: ${JSON.stringify(text)}${files}`;
}
