import type { RenderedPiece, Route } from "../../core/delivery/delivery.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import type { Binding, BindingEnd, StateEvent } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import {
  boundToThread,
  releasedFromThread,
  type ThreadLoss,
  threadLost,
} from "../../core/texts/agent/session-notices.ts";
import { farewell } from "../../core/texts/chat/completion-text.ts";
import { THREAD_NOT_NEEDED } from "../../core/texts/store/outcomes.ts";
import { bindingFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { insertInput } from "./inputs.ts";
import { insertDeliveries } from "./outbox.ts";
import { logStateEvent } from "./session-log.ts";

export interface BindingOver {
  readonly why: BindingEnd;
  readonly actorType: StateEvent["actorType"];
  readonly actor: string;
  /** False: the caller posts its own line here. */
  readonly farewell: boolean;
}

export const BY_PLATFORM = { actorType: "system", actor: "platform" } as const;

/** Part of a step: ends a binding; messages there route normally from now on (TB-6). False: it had already ended. */
export async function endBinding(context: StepContext, binding: Binding, over: BindingOver): Promise<boolean> {
  const { db, now } = context;
  const ended = await db
    .updateTable("bindings")
    .set({ state: "ended", reason: over.why, ended_at: now })
    .where("id", "=", binding.id)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) return false;
  await db.deleteFrom("timers").where("task", "=", "binding-expiry").where("key", "=", binding.id).execute();
  if (binding.state === "pending") await callOffThread(context, binding);
  if (binding.state !== "active") return true;
  await logBinding(context, binding, { ...over, kind: "unbound" });
  await tellSpawner(context, binding, over.why);
  if (over.farewell) await sayOnce(context, binding.route, { key: `binding:${binding.id}:${over.why}`, why: over.why });
  return true;
}

/** Part of a step: the platform took the thread away; it is bound again when it opens within its life (TB-6). */
export async function pauseBinding(
  context: StepContext,
  binding: Binding,
  why: "archived" | "locked",
): Promise<boolean> {
  const paused = await context.db
    .updateTable("bindings")
    .set({ state: "paused", reason: why })
    .where("id", "=", binding.id)
    .where("state", "=", "active")
    .executeTakeFirst();
  if (paused.numUpdatedRows === 0n) return false;
  await logBinding(context, binding, { ...BY_PLATFORM, why, kind: "unbound" });
  await tellSpawner(context, binding, why);
  const key = `binding:${binding.id}:${why}:${context.now}`;
  await sayOnce(context, binding.route, { key, why });
  return true;
}

/** Part of a step: a paused binding becomes active again. False: it was not paused. */
export async function resumeBinding(context: StepContext, binding: Binding): Promise<boolean> {
  const { db, now } = context;
  const resumed = await db
    .updateTable("bindings")
    .set({ state: "active", reason: null, last_activity: now })
    .where("id", "=", binding.id)
    .where("state", "=", "paused")
    .executeTakeFirst();
  if (resumed.numUpdatedRows === 0n) return false;
  await logBinding(context, binding, { ...BY_PLATFORM, kind: "bound" });
  return true;
}

/** Part of a step: the line about a place in that place, tried once; its failure is no news (TB-6). */
export async function sayOnce(
  context: StepContext,
  route: Route,
  said: { readonly key: string; readonly why: BindingEnd } | { readonly key: string; readonly piece: RenderedPiece },
): Promise<void> {
  const piece = "piece" in said ? said.piece : farewell(said.why);
  if (piece === null) return;
  const content = { kind: "message", piece, replyTo: null, private: false, once: true } as const;
  const deliveries = [{ key: said.key, route, content }];
  await insertDeliveries(context, { deliveries, sessionKey: null, turnId: null, runId: null });
}

export async function logBinding(
  context: StepContext,
  binding: { readonly sessionKey: SessionKey; readonly runId: string | null; readonly route: Route },
  event: {
    readonly kind: "bound" | "unbound";
    readonly actorType: StateEvent["actorType"];
    readonly actor: string;
    readonly why?: BindingEnd;
  },
): Promise<void> {
  const { route } = binding;
  const summary = event.kind === "bound" ? boundToThread(route.channel) : releasedFromThread(route.channel);
  await logStateEvent(context, {
    sessionKey: binding.sessionKey,
    kind: event.kind,
    actorType: event.actorType,
    actor: event.actor,
    runId: binding.runId,
    summary,
    payload: { channel: route.channel, ...(event.why === undefined ? {} : { reason: event.why }) },
  });
}

/** What the platform took away is told to the session that asked for the work, with its next turn (FC-145). */
async function tellSpawner(context: StepContext, binding: Binding, why: BindingEnd): Promise<void> {
  if (!isLoss(why)) return;
  const session = await context.db
    .selectFrom("sessions")
    .select(["spawned_by", "label"])
    .where("key", "=", binding.sessionKey)
    .executeTakeFirst();
  if (session?.spawned_by == null) return;
  await insertInput(context, {
    key: `binding:${binding.id}:${why}:${context.now}`,
    sessionKey: session.spawned_by as SessionKey,
    payload: {
      kind: "notice",
      text: threadLost({ key: binding.sessionKey, label: session.label }, why),
      // Somebody asked for work whose result is read by no one (TB-7).
      wakes: why === "denied",
    },
    provenance: { kind: "system", source: "binding" },
    route: null,
    rights: NO_RIGHTS,
    cause: binding.id,
  });
}

function isLoss(why: BindingEnd): why is ThreadLoss {
  return why === "locked" || why === "deleted" || why === "gone" || why === "denied" || why === "bot_removed";
}

/** A thread that was not requested yet is not created. One that may exist is handled when its delivery settles (TB-7). */
async function callOffThread({ db, now }: StepContext, binding: Binding): Promise<void> {
  const row = await db.selectFrom("bindings").select("delivery_key").where("id", "=", binding.id).executeTakeFirst();
  if (row?.delivery_key == null) return;
  await db
    .updateTable("deliveries")
    .set({ state: "withdrawn", reason: THREAD_NOT_NEEDED, settled_at: now })
    .where("key", "=", row.delivery_key)
    .where("state", "=", "pending")
    .where("attempts", "=", 0)
    .execute();
}

/** Part of a step: the bindings of a conversation, or of every thread in a chat, that are not over. */
export async function openBindings(
  { db }: Pick<StepContext, "db">,
  where:
    | { readonly conversation: string }
    | { readonly sessionKey: string }
    | { readonly chat: Pick<Route, "channel" | "accountId" | "to"> },
): Promise<readonly Binding[]> {
  const open = db.selectFrom("bindings").selectAll().where("ended_at", "is", null);
  const query =
    "conversation" in where
      ? open.where("conversation", "=", where.conversation)
      : "sessionKey" in where
        ? open.where("session_key", "=", where.sessionKey)
        : open
            .where("to_id", "=", where.chat.to)
            .where("channel", "=", where.chat.channel)
            .where("account_id", "=", where.chat.accountId);
  return (await query.orderBy("created_at").orderBy("id").execute()).map(bindingFromRow);
}
