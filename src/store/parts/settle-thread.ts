import type { Delivery, RenderedPiece, ThreadContent } from "../../core/delivery/delivery.ts";
import { conversationKey, type Route, sameRoute } from "../../core/delivery/delivery.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { Binding } from "../../core/session/run.ts";
import { threadDenied, threadNotCreated, threadPerhapsCreated } from "../../core/texts/agent/session-notices.ts";
import { THREAD_DENIED, THREAD_NOT_MADE } from "../../core/texts/chat/completion-text.ts";
import { UNKNOWN_REASON } from "../../core/texts/store/outcomes.ts";
import { bindingFromRow, runFromRow } from "../rows.ts";
import type { StepContext } from "../store.ts";
import { activate } from "./bind.ts";
import { BY_PLATFORM, endBinding, openBindings, pauseBinding, sayOnce } from "./end-binding.ts";
import { endRun } from "./end-run.ts";
import { withdrawInputs } from "./kill-runs.ts";
import { insertDeliveries } from "./outbox.ts";

/** A thread as its adapter reports it. */
export interface MadeThread {
  readonly route: Route;
  /** How people get to it from elsewhere; null: the platform has no links. */
  readonly link: RenderedPiece | null;
}

/** A sub-agent whose thread was never made is out of the active lists after this. */
const ARCHIVE_AFTER_MS = 3_600_000;

/** Part of a step: what the outcome of a `thread` delivery means for its binding and whoever waits for it (TB-1, TB-7). */
export async function settleThread(
  context: StepContext,
  delivery: Delivery,
  content: ThreadContent,
  made: MadeThread | null,
): Promise<void> {
  const row = await context.db
    .selectFrom("bindings")
    .selectAll()
    .where("delivery_key", "=", delivery.key)
    .executeTakeFirst();
  if (row === undefined) return;
  const binding = bindingFromRow(row);
  if (made === null) await notMade(context, binding, delivery);
  else if (binding.state === "pending") await placeIsReady(context, { binding, delivery, content, made });
  else await tellOrphan(context, binding, made.route);
  await releaseHeld(context, delivery.route);
}

async function placeIsReady(
  context: StepContext,
  made: {
    readonly binding: Binding;
    readonly delivery: Delivery;
    readonly content: ThreadContent;
    readonly made: MadeThread;
  },
): Promise<void> {
  const { binding, delivery, content } = made;
  const { route, link } = made.made;
  await activate(context, binding, route);
  if (binding.runId !== null) await letBegin(context, binding, route);
  const say = (name: string, to: Route, piece: RenderedPiece) => ({
    key: `${delivery.key}:${name}`,
    route: to,
    content: { kind: "message", piece, replyTo: null, private: false } as const,
  });
  const opening = delivery.messageIds.length === 0 ? [say("opening", route, content.opening)] : [];
  // From inside a thread a sibling was made: people here could not see it (TB-1).
  const isElsewhere = delivery.route.threadId !== null && !sameRoute(delivery.route, route);
  const way = isElsewhere && link !== null ? [say("link", delivery.route, link)] : [];
  const batch = { sessionKey: null, turnId: null, runId: binding.runId };
  await insertDeliveries(context, { ...batch, deliveries: [...opening, ...way] });
}

/** The child's first turn, which waited for its place, and the place it answers in. */
async function letBegin({ db, enqueue }: StepContext, binding: Binding, route: Route): Promise<void> {
  const place = { route_json: JSON.stringify(route), conversation: conversationKey(route) };
  await db
    .updateTable("inbox")
    .set({ ...place, state: "waiting" })
    .where("session_key", "=", binding.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "held")
    .where("kind", "=", "task")
    .execute();
  // Guidance that came meanwhile is answered in the thread too.
  await db
    .updateTable("inbox")
    .set(place)
    .where("session_key", "=", binding.sessionKey)
    .where("settled_at", "is", null)
    .where("kind", "=", "steer")
    .execute();
  await db
    .updateTable("sessions")
    .set({ last_route_json: place.route_json, origin_route_json: place.route_json })
    .where("key", "=", binding.sessionKey)
    .execute();
  enqueue(turnTask(binding.sessionKey), binding.sessionKey);
}

/** TB-7: it was called off while the platform made it. */
async function tellOrphan(context: StepContext, binding: Binding, route: Route): Promise<void> {
  await sayOnce(context, route, { key: `binding:${binding.id}:orphan`, why: "run_ended" });
}

async function notMade(context: StepContext, binding: Binding, delivery: Delivery): Promise<void> {
  const { db, now, enqueue } = context;
  const ended = await endBinding(context, binding, { ...BY_PLATFORM, why: "not_created", farewell: false });
  if (!ended) return;
  if (binding.runId === null) {
    await sayOnce(context, delivery.route, { key: `binding:${binding.id}:not_created`, piece: THREAD_NOT_MADE });
    return;
  }
  await withdrawInputs(context, binding.sessionKey);
  const row = await db.selectFrom("runs").selectAll().where("id", "=", binding.runId).executeTakeFirst();
  if (row === undefined) return;
  const reason = delivery.reason ?? UNKNOWN_REASON;
  await endRun(context, runFromRow(row), {
    outcome: "error",
    result: null,
    error: delivery.state === "unconfirmed" ? threadPerhapsCreated(reason) : threadNotCreated(reason),
    silent: false,
    archiveAfterMs: null,
  });
  enqueue("archive", binding.sessionKey, now + ARCHIVE_AFTER_MS);
}

/** Part of a step: messages that came while it was open which place was being made are decided now (TB-1). */
export async function releaseHeld({ db, enqueue }: StepContext, place: Route): Promise<void> {
  const held = await db
    .selectFrom("held_events")
    .select("conversation")
    .distinct()
    .where("channel", "=", place.channel)
    .where("account_id", "=", place.accountId)
    .where("to_id", "=", place.to)
    .execute();
  for (const { conversation } of held) enqueue("admit-held", conversation);
}

/** What a refusal says of the place: it is gone, it takes nothing for now, or the bot may not write there. */
export type RefusedPlace = "gone" | "closed" | "denied";

/** TB-7, FC-421: the thread stays empty, so the conversation around it is told, and so is the session that asked for the work. */
async function mayNotWrite(context: StepContext, binding: Binding, reason: string): Promise<void> {
  const { db } = context;
  const { route } = binding;
  const row = await db
    .selectFrom("runs")
    .selectAll()
    .where("id", "=", binding.runId ?? "")
    .executeTakeFirst();
  if (row !== undefined && row.ended_at === null) {
    const end = {
      outcome: "error",
      result: null,
      error: threadDenied(reason),
      silent: false,
      archiveAfterMs: null,
    } as const;
    await endRun(context, runFromRow(row), end);
  }
  await endBinding(context, binding, { ...BY_PLATFORM, why: "denied", farewell: false });
  const around = { ...route, threadId: null };
  await sayOnce(context, around, { key: `binding:${binding.id}:denied`, piece: THREAD_DENIED });
}

/** Part of a step: a bound place takes no messages any more, as a refused one has shown (TB-6, FC-145). */
export async function placeRefused(
  context: StepContext,
  route: Route,
  { how, reason }: { readonly how: RefusedPlace; readonly reason: string },
): Promise<void> {
  if (route.threadId === null) return;
  for (const binding of await openBindings(context, { conversation: conversationKey(route) })) {
    if (how === "denied") await mayNotWrite(context, binding, reason);
    else if (how === "closed") await pauseBinding(context, binding, "locked");
    else await endBinding(context, binding, { ...BY_PLATFORM, why: "gone", farewell: false });
  }
}
