import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { endBinding, openBindings } from "../../parts/end-binding.ts";
import { defineStep, type StepContext } from "../../store.ts";

/**
 * `/unfocus` (TB-5): the session goes on without the place. Returns the session that was bound there, or null. Carried out again
 * after a crash it returns the same: what was released there since the command was given.
 */
export const unfocus = defineStep(
  "unfocus",
  "full",
  async (
    context,
    input: { readonly route: Route; readonly actor: string; readonly givenAt: number },
  ): Promise<SessionKey | null> => {
    const conversation = conversationKey(input.route);
    const bound = await openBindings(context, { conversation });
    const over = { why: "unbound", actorType: "human", actor: input.actor, farewell: false } as const;
    for (const binding of bound) await endBinding(context, binding, over);
    return bound[0]?.sessionKey ?? (await releasedSince(context, conversation, input.givenAt));
  },
);

async function releasedSince({ db }: StepContext, conversation: string, since: number): Promise<SessionKey | null> {
  const row = await db
    .selectFrom("bindings")
    .select("session_key")
    .where("conversation", "=", conversation)
    .where("reason", "=", "unbound")
    .where("ended_at", ">=", since)
    .orderBy("ended_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : (row.session_key as SessionKey);
}
