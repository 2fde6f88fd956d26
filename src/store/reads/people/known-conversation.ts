import { conversationKey, type Route } from "../../../core/delivery/route.ts";
import { defineRead } from "../../store.ts";

/** Whether people wrote to the account in this very conversation, as far back as events are kept (IN-2). */
export const isKnownConversation = defineRead("is-known-conversation", async (db, route: Route): Promise<boolean> => {
  const row = await db
    .selectFrom("inbound_events")
    .select("identity")
    .where("conversation", "=", conversationKey(route))
    .where("result", "in", ["accepted", "command", "merged", "kept"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
});
