import type { ThreadContent } from "../../../core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../../core/delivery/route.ts";
import type { BindingLimits } from "../../../core/session/binding.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { armExpiry, bindNow, insertPending } from "../../parts/bind.ts";
import { endBinding, openBindings } from "../../parts/end-binding.ts";
import { insertDeliveries } from "../../parts/insert-deliveries.ts";
import { bindingFromRow } from "../../rows.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface FocusInput extends BindingLimits {
  /** The command that asked: carried out again, it changes nothing. */
  readonly cause: string;
  readonly sessionKey: SessionKey;
  readonly actor: string;
  /** Where the person wrote. */
  readonly route: Route;
  /** Set: a new thread is made from there; null: the thread itself is bound. */
  readonly thread: ThreadContent | null;
}

/** `/focus` (TB-5): the only way a bound conversation gets another session (TB-4). */
export const focus = defineStep("focus", "full", async (context, input: FocusInput): Promise<void> => {
  const { cause, sessionKey, actor, route, thread, idleMs, maxAgeMs } = input;
  const binding = { id: `focus:${cause}`, sessionKey, createdBy: actor, runId: null, idleMs, maxAgeMs };
  if (thread === null) {
    await bindNow(context, { ...binding, route }, { actorType: "human", actor });
    return;
  }
  const deliveryKey = `focus:${cause}`;
  await insertPending(context, { ...binding, from: route, deliveryKey });
  const deliveries = [{ key: deliveryKey, route, content: thread }];
  await insertDeliveries(context, { deliveries, sessionKey: null, turnId: null, runId: null });
});

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

/** `/session idle` and `max-age` (TB-5). Returns the limits that hold now; null: nothing is bound there. */
export const limitBinding = defineStep(
  "limit-binding",
  "full",
  async (
    context,
    input: { readonly route: Route; readonly idleMs?: number; readonly maxAgeMs?: number },
  ): Promise<BindingLimits | null> => {
    const { idleMs, maxAgeMs } = input;
    const row = await context.db
      .updateTable("bindings")
      .set({
        last_activity: context.now,
        ...(idleMs === undefined ? {} : { idle_ms: idleMs }),
        ...(maxAgeMs === undefined ? {} : { max_age_ms: maxAgeMs }),
      })
      .where("conversation", "=", conversationKey(input.route))
      .where("ended_at", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    const binding = bindingFromRow(row);
    await armExpiry(context, binding);
    return binding;
  },
);
