import { conversationKey, type Route } from "../../core/delivery/delivery.ts";
import type { RunId } from "../../core/ids.ts";
import type { StateEvent } from "../../core/session/run.ts";
import { type Binding, type BindingLimits, bindingExpiry } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { bindingFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { endBinding, logBinding, openBindings, resumeBinding } from "./end-binding.ts";

export interface NewBinding extends BindingLimits {
  /** From what made it (run or command), so that doing it again changes nothing. */
  readonly id: string;
  readonly sessionKey: SessionKey;
  readonly createdBy: string;
  readonly runId: RunId | null;
}

/** Part of a step: a delivery creates a thread from `from`; nothing is bound before that is settled (TB-1). */
export async function insertPending(
  { db, now }: StepContext,
  binding: NewBinding & { readonly from: Route; readonly deliveryKey: string },
): Promise<void> {
  const { from } = binding;
  await db
    .insertInto("bindings")
    .values({ ...rowOf(binding, now), ...placeOf(from), conversation: null, delivery_key: binding.deliveryKey })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Part of a step: a conversation that is there belongs to the session from now on (TB-5). False: this very act was done before. */
export async function bindNow(
  context: StepContext,
  binding: NewBinding & { readonly route: Route },
  actor: Pick<StateEvent, "actorType" | "actor">,
): Promise<boolean> {
  const { db, now } = context;
  const known = await db.selectFrom("bindings").select("id").where("id", "=", binding.id).executeTakeFirst();
  if (known !== undefined) return false;
  await clearPlace(context, binding, binding.route);
  const row = { ...rowOf(binding, now), ...placeOf(binding.route), state: "active", delivery_key: null };
  await db.insertInto("bindings").values(row).execute();
  await armExpiry(context, bindingFromRow(row));
  await logBinding(context, binding, { kind: "bound", ...actor });
  return true;
}

/** Part of a step: the thread of a pending binding was created. */
export async function activate(context: StepContext, binding: Binding, route: Route): Promise<void> {
  const { db, now } = context;
  await clearPlace(context, binding, route);
  await db
    .updateTable("bindings")
    .set({ ...placeOf(route), state: "active", last_activity: now })
    .where("id", "=", binding.id)
    .execute();
  await armExpiry(context, { ...binding, state: "active", route, lastActivity: now });
  await logBinding(context, { ...binding, route }, { kind: "bound", actorType: "system", actor: binding.createdBy });
}

/** Part of a step: a message out keeps a bound conversation alive as one in does (TB-4, FC-046). */
export async function touchBinding({ db, now }: StepContext, conversation: string): Promise<void> {
  await db
    .updateTable("bindings")
    .set({ last_activity: now })
    .where("conversation", "=", conversation)
    .where("ended_at", "is", null)
    .where("state", "=", "active")
    .execute();
}

/** Part of a step: a person wrote in a bound place; writing in an archived thread has opened it again (FC-146). */
export async function useBinding(context: StepContext, id: string): Promise<void> {
  const { db, now } = context;
  const row = await db
    .updateTable("bindings")
    .set({ last_activity: now })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  if (row.state === "paused") await resumeBinding(context, bindingFromRow(row));
  // The session is in use again.
  await db
    .updateTable("sessions")
    .set({ archived_at: null })
    .where("key", "=", row.session_key)
    .where("archived_at", "is not", null)
    .execute();
}

/** Part of a step: the timer's row, or none when it lives for ever. The timer looks again, so writing need not move it. */
export async function armExpiry({ db, now, enqueue }: StepContext, binding: Binding): Promise<void> {
  const expiry = bindingExpiry(binding);
  if (expiry === null)
    await db.deleteFrom("timers").where("task", "=", "binding-expiry").where("key", "=", binding.id).execute();
  // A time in the future, or no row would keep it (SB-4).
  else enqueue("binding-expiry", binding.id, Math.max(expiry.at, now + 1));
}

/** TB-4: a conversation has one binding, and a session answers in one bound place. */
async function clearPlace(
  context: StepContext,
  binding: Pick<Binding, "id" | "sessionKey" | "createdBy">,
  route: Route,
): Promise<void> {
  const over = { why: "replaced", actorType: "human", actor: binding.createdBy } as const;
  const here = await openBindings(context, { conversation: conversationKey(route) });
  for (const old of here) if (old.id !== binding.id) await endBinding(context, old, { ...over, farewell: false });
  const elsewhere = await openBindings(context, { sessionKey: binding.sessionKey });
  for (const old of elsewhere) if (old.id !== binding.id) await endBinding(context, old, { ...over, farewell: true });
}

function rowOf(binding: NewBinding, now: number) {
  return {
    id: binding.id,
    session_key: binding.sessionKey,
    state: "pending",
    run_id: binding.runId,
    created_by: binding.createdBy,
    idle_ms: binding.idleMs,
    max_age_ms: binding.maxAgeMs,
    created_at: now,
    last_activity: now,
    reason: null,
    ended_at: null,
  };
}

function placeOf(route: Route) {
  return {
    conversation: conversationKey(route),
    channel: route.channel,
    account_id: route.accountId,
    to_id: route.to,
    route_json: JSON.stringify(route),
  };
}

/** The conversation a session is bound to and answers in; null: none. */
export async function boundRoute({ db }: Pick<StepContext, "db">, sessionKey: string): Promise<Route | null> {
  const row = await db
    .selectFrom("bindings")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .where("state", "=", "active")
    .executeTakeFirst();
  return row === undefined ? null : bindingFromRow(row).route;
}
