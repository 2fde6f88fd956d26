import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { PresentAccess, PresentAccessOf } from "../../core/session/present-access.ts";
import { refusedSince } from "../../core/texts/rules.ts";
import { accessOf } from "../reads/inbound/present-access.ts";
import type { StepContext } from "../store.ts";

/**
 * Part of a step: what waits for a session, each input with the role its sender has now. A message of a person who may not write here
 * any more is set aside with the rule that says so: no turn reads it and no reply is sent (IN-18).
 */
export async function presentInputs(
  context: StepContext,
  items: readonly InboxItem[],
  presentAccess: PresentAccessOf,
): Promise<readonly InboxItem[]> {
  const present: InboxItem[] = [];
  for (const item of items) {
    const now = await accessOf(context.db, item, presentAccess);
    if (!now.admitted) await setAside(context, item, now);
    else if (now.role === item.rights.role) present.push(item);
    else present.push({ ...item, rights: { ...item.rights, role: now.role } });
  }
  return present;
}

async function setAside(
  { db, now }: StepContext,
  { seq }: InboxItem,
  { rule }: Extract<PresentAccess, { readonly admitted: false }>,
): Promise<void> {
  await db.updateTable("inbox").set({ state: "withdrawn", settled_at: now }).where("seq", "=", seq).execute();
  await db
    .updateTable("inbound_events")
    .set({ result: "refused", rule: refusedSince(rule) })
    .where("inbox_seq", "=", seq)
    .execute();
}
