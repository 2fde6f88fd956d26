import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { EventFacts } from "../../../core/message/inbound-event.ts";
import type { Mentionable } from "../../../core/text/mention-people.ts";
import { defineRead } from "../../store.ts";

/** So many of the newest messages say who is in a conversation. */
const NEWEST = 300;
/** A message of these was read or kept; a refused sender is no one an agent knows. */
const READ = ["accepted", "merged", "command", "kept"];

/** The people who wrote in a conversation or around its thread, with the names they were shown by (DL-8). */
export const peopleOf = defineRead("people-of", async (db, route: Route): Promise<readonly Mentionable[]> => {
  const around = conversationKey({ ...route, threadId: null });
  const rows = await db
    .selectFrom("inbound_events")
    .select(["sender_id", "facts_json"])
    .where("conversation", "in", [conversationKey(route), around])
    .where("from_bot", "=", 0)
    .where("result", "in", READ)
    .orderBy("received_at", "desc")
    .limit(NEWEST)
    .execute();
  const people = new Map<string, Set<string>>();
  for (const { sender_id: id, facts_json } of rows) {
    const { senderNames = [] } = JSON.parse(facts_json) as EventFacts;
    const names = people.get(id) ?? new Set();
    people.set(id, names);
    for (const name of senderNames) names.add(name);
  }
  return [...people].map(([id, names]) => ({ id, names: [...names] }));
});
