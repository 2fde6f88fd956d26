import type { InboxItem } from "../../core/inbox-item.ts";
import { NO_RIGHTS } from "../../core/rights.ts";
import type { SessionKey } from "../../core/session-key.ts";
import { inboxItemFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { insertInput } from "./insert-input.ts";

/** TN-3: so many people's messages wait for a session; the oldest beyond them are shortened. */
const CAP = 20;
/** What is kept of a shortened message, in characters. */
const OPENING = 160;
/** So many of them are told one by one; of more, only how many there were. */
const TOLD = 20;

/**
 * Part of a step: `drop: summarize`. Of the messages beyond the cap the oldest are taken out of the queue, and a notice of
 * the next turn tells how each began: nothing vanishes unseen (FC-119). `/why` names the rule.
 */
export async function capQueue(context: StepContext, sessionKey: SessionKey): Promise<void> {
  const { db, now } = context;
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .where("kind", "=", "event")
    .orderBy("seq", "desc")
    .offset(CAP)
    .limit(CAP)
    .execute();
  for (const item of rows.map(inboxItemFromRow).reverse()) {
    await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", item.seq).execute();
    await db
      .updateTable("inbound_events")
      .set({ result: "merged", rule: `messages.queue.cap is ${CAP}: shortened into a notice` })
      .where("inbox_seq", "=", item.seq)
      .execute();
    await tell(context, sessionKey, item);
  }
}

async function tell(context: StepContext, sessionKey: SessionKey, item: InboxItem): Promise<void> {
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
  const more = /^- and (\d+) more$/.exec(lines.at(-1) ?? "");
  const told = more === null ? lines : lines.slice(0, -1);
  const next = told.length < TOLD ? [...told, opening(item)] : [...told, `- and ${Number(more?.[1] ?? 0) + 1} more`];
  const text = [`more than ${CAP} messages waited; these came before them and are shortened:`, ...next].join("\n");
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

function opening({ payload }: InboxItem): string {
  if (payload.kind !== "event") return "";
  const files = payload.attachments.length === 0 ? "" : ` (with ${payload.attachments.length} files)`;
  const text = [...payload.text].slice(0, OPENING).join("");
  return `- ${JSON.stringify(payload.senderName)}: ${JSON.stringify(text)}${files}`;
}
