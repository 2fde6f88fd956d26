import { type GatheringPayload, isGathering, joinPayload } from "../../core/message/gathering.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { inboxItemFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { dueFor } from "./release-input.ts";

export interface Joining {
  readonly sessionKey: SessionKey;
  /** `conversationKey` of its route. */
  readonly conversation: string;
  readonly payload: GatheringPayload;
}

const openEvents = defineStatement((db, p: { readonly sessionKey: SessionKey; readonly conversation: string }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", p.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "in", ["held", "waiting"])
    .where("kind", "=", "event")
    .where("conversation", "=", p.conversation)
    .orderBy("seq", "desc")
    .limit(20),
);

/**
 * Part of a step: the input that a message joins, if one is still open: the same album until a turn takes it (IN-12), the
 * same sender's burst while it is held (IN-13). Anything else of the sender in the conversation ends their burst: it is
 * released at once, so that order holds. Returns the sequence joined, or null.
 */
export async function joinInput(context: StepContext, joining: Joining): Promise<number | null> {
  const { db } = context;
  const { sessionKey, conversation } = joining;
  const rows = await openEvents.all(db, { sessionKey, conversation });
  const open = rows.map(inboxItemFromRow).flatMap((item) => (isOpen(item) ? [item] : []));
  const target = open.find((item) => joins(item, joining.payload));
  if (target === undefined) {
    for (const item of open) if (isBurstOf(item, joining.payload.senderId)) await endBurst(context, item);
    return null;
  }
  await rewriteInput(context, { ...target, payload: joinPayload(target.payload, joining.payload) });
  return target.seq;
}

type OpenItem = InboxItem & { readonly payload: GatheringPayload };

function isOpen(item: InboxItem): item is OpenItem {
  return isGathering(item.payload);
}

function joins(item: OpenItem, payload: GatheringPayload): boolean {
  if (payload.gathering.album !== null) return item.payload.gathering.album === payload.gathering.album;
  return isText(payload) && isBurstOf(item, payload.senderId);
}

function isText(payload: GatheringPayload): boolean {
  return payload.gathering.album === null && payload.gathering.attachments.length === 0;
}

function isBurstOf(item: OpenItem, senderId: string): boolean {
  return item.state === "held" && item.payload.gathering.debounce && item.payload.senderId === senderId;
}

async function endBurst(context: StepContext, item: OpenItem): Promise<void> {
  const { gathering } = item.payload;
  await rewriteInput(context, {
    ...item,
    payload: { ...item.payload, gathering: { ...gathering, debounce: false, until: 0 } },
  });
}

/** Part of a step: a changed payload of an input no turn has taken, with the state and the work that follow from it. */
export async function rewriteInput(
  context: StepContext,
  item: Pick<InboxItem, "seq" | "key" | "sessionKey" | "payload">,
): Promise<"held" | "waiting"> {
  const state = await dueFor(context, item);
  await context.db
    .updateTable("inbox")
    .set({ payload_json: JSON.stringify(item.payload), state })
    .where("seq", "=", item.seq)
    .execute();
  return state;
}

/** Part of a step, for a command: what its sender wrote before it is released first (IN-13). */
export async function endBursts(
  context: StepContext,
  input: { readonly sessionKey: SessionKey; readonly conversation: string; readonly senderId: string },
): Promise<void> {
  const rows = await context.db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", input.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "held")
    .where("kind", "=", "event")
    .where("conversation", "=", input.conversation)
    .orderBy("seq")
    .execute();
  for (const item of rows.map(inboxItemFromRow)) {
    if (isOpen(item) && isBurstOf(item, input.senderId)) await endBurst(context, item);
  }
}
