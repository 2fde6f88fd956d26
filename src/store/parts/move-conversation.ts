import { sql } from "kysely";
import { conversationKey, type Route } from "../../core/delivery/delivery.ts";
import { StoreError } from "../../core/errors.ts";
import type { AccountId, ChannelId } from "../../core/ids.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { Rights } from "../../core/session/rights.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { TurnSource } from "../../core/session/turn.ts";
import type { StepContext } from "../store.ts";
import { searchText } from "./sessions.ts";

/**
 * Part of a step: every stored route and right that names a moved conversation and may still be used names its new id
 * (SK-9): sessions, open inputs, unfinished runs, exchanges, open turns.
 */
export async function moveRoutes(context: StepContext, move: ConversationMove): Promise<void> {
  await moveSessionRoutes(context, move);
  await moveInputs(context, move);
  await moveWork(context, move);
  await moveBindings(context, move);
}

const mentions = ({ from }: ConversationMove): string => `%${JSON.stringify(from)}%`;

async function moveSessionRoutes({ db }: StepContext, move: ConversationMove): Promise<void> {
  const rows = await db
    .selectFrom("sessions")
    .select(["key", "origin_route_json", "last_route_json"])
    .where((eb) =>
      eb.or([eb("origin_route_json", "like", mentions(move)), eb("last_route_json", "like", mentions(move))]),
    )
    .execute();
  for (const row of rows) {
    await db
      .updateTable("sessions")
      .set({
        origin_route_json: movedRouteJson(row.origin_route_json, move),
        last_route_json: movedRouteJson(row.last_route_json, move),
      })
      .where("key", "=", row.key)
      .execute();
  }
}

async function moveInputs({ db }: StepContext, move: ConversationMove): Promise<void> {
  const rows = await db
    .selectFrom("inbox")
    .select(["seq", "route_json", "rights_json", "conversation"])
    .where("settled_at", "is", null)
    .where((eb) => eb.or([eb("route_json", "like", mentions(move)), eb("rights_json", "like", mentions(move))]))
    .execute();
  for (const row of rows) {
    const route = movedRouteJson(row.route_json, move);
    await db
      .updateTable("inbox")
      .set({
        route_json: route,
        conversation: route === null ? row.conversation : conversationKey(JSON.parse(route) as Route),
        rights_json: movedRightsJson(row.rights_json, move),
      })
      .where("seq", "=", row.seq)
      .execute();
  }
}

async function moveBindings({ db }: StepContext, move: ConversationMove): Promise<void> {
  const rows = await db
    .selectFrom("bindings")
    .select(["id", "conversation", "route_json"])
    .where("ended_at", "is", null)
    .where("to_id", "=", move.from)
    .where("channel", "=", move.channel)
    .where("account_id", "=", move.accountId)
    .execute();
  for (const row of rows) {
    const route = movedRoute(JSON.parse(row.route_json) as Route, move);
    const conversation = row.conversation === null ? null : conversationKey(route);
    await db
      .updateTable("bindings")
      .set({ to_id: move.to, route_json: JSON.stringify(route), conversation })
      .where("id", "=", row.id)
      .execute();
  }
}

async function moveWork({ db }: StepContext, move: ConversationMove): Promise<void> {
  const runs = await db
    .selectFrom("runs")
    .select(["id", "route_json", "rights_json"])
    .where("state", "<>", "ended")
    .execute();
  for (const run of runs) {
    const moved = {
      route_json: movedRouteJson(run.route_json, move),
      rights_json: movedRightsJson(run.rights_json, move),
    };
    await db.updateTable("runs").set(moved).where("id", "=", run.id).execute();
  }
  const exchanges = await db
    .selectFrom("exchanges")
    .select(["run_id", "route_json", "rights_json"])
    .where("route_json", "like", mentions(move))
    .execute();
  for (const exchange of exchanges) {
    const moved = {
      route_json: movedRouteJson(exchange.route_json, move),
      rights_json: movedRightsJson(exchange.rights_json, move),
    };
    await db.updateTable("exchanges").set(moved).where("run_id", "=", exchange.run_id).execute();
  }
  const chains = await db
    .selectFrom("chains")
    .select(["id", "route_json"])
    .where("route_json", "like", mentions(move))
    .execute();
  for (const { id, route_json: route } of chains) {
    await db
      .updateTable("chains")
      .set({ route_json: movedRouteJson(route, move) })
      .where("id", "=", id)
      .execute();
  }
  const turns = await db.selectFrom("turns").select(["id", "source_json"]).where("ended_at", "is", null).execute();
  for (const turn of turns) {
    const source = JSON.parse(turn.source_json) as TurnSource;
    const moved: TurnSource = {
      ...source,
      route: source.route === null ? null : movedRoute(source.route, move),
      rights: movedRights(source.rights, move),
    };
    await db
      .updateTable("turns")
      .set({ source_json: JSON.stringify(moved) })
      .where("id", "=", turn.id)
      .execute();
  }
}

function movedRouteJson(json: string | null, move: ConversationMove): string | null {
  return json === null ? null : JSON.stringify(movedRoute(JSON.parse(json) as Route, move));
}

function movedRoute(route: Route, move: ConversationMove): Route {
  const meant = route.channel === move.channel && route.accountId === move.accountId && route.to === move.from;
  return meant ? { ...route, to: move.to } : route;
}

function movedRightsJson(json: string, move: ConversationMove): string {
  return JSON.stringify(movedRights(JSON.parse(json) as Rights, move));
}

function movedRights(rights: Rights, move: ConversationMove): Rights {
  const { group } = rights;
  if (group === null || group.channel !== move.channel || group.accountId !== move.accountId) return rights;
  return group.id === move.from ? { ...rights, group: { ...group, id: move.to, formerId: move.from } } : rights;
}

/** A conversation whose platform id changed (Telegram: a group became a supergroup, SK-9). */
export interface ConversationMove {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly from: string;
  readonly to: string;
}

/**
 * Part of a step: everything in the outbox that is not settled follows a moved conversation (FC-055). Message ids of the
 * old place mean nothing in the new one, so what was to be edited is sent as a new message. Running it again changes nothing.
 */
export async function moveDeliveries({ db, enqueue }: StepContext, move: ConversationMove): Promise<void> {
  const rows = await db
    .selectFrom("deliveries")
    .select(["id", "route_json", "state"])
    // A preview that was shown still gets its turn's answer: left behind, that would be an edit nobody can make.
    .where((eb) => eb.or([eb("state", "in", ["pending", "sending", "failed", "unconfirmed"]), eb("preview", "=", 1)]))
    .where("channel", "=", move.channel)
    .where("account_id", "=", move.accountId)
    .execute();
  for (const row of rows) {
    const route = JSON.parse(row.route_json) as Route;
    if (route.to !== move.from) continue;
    const moved: Route = { ...route, to: move.to };
    const conversation = conversationKey(moved);
    await db
      .updateTable("deliveries")
      .set({ route_json: JSON.stringify(moved), conversation, message_ids_json: "[]" })
      .where("id", "=", row.id)
      .execute();
    if (row.state === "pending") enqueue("deliver", conversation);
  }
}

/** Every column that holds a session key, beside `sessions.key` itself. A new one goes into this list. */
const KEY_COLUMNS = [
  ["sessions", "spawned_by"],
  ["session_ids", "session_key"],
  ["session_lineage", "ancestor"],
  ["session_lineage", "descendant"],
  ["messages", "session_key"],
  ["inbound_events", "session_key"],
  ["inbox", "session_key"],
  ["turns", "session_key"],
  ["runs", "session_key"],
  ["runs", "wake_key"],
  ["completions", "requester"],
  ["exchanges", "from_key"],
  ["exchanges", "to_key"],
  ["chains", "origin_key"],
  ["deliveries", "session_key"],
  ["bindings", "session_key"],
  ["state_events", "session_key"],
  ["watchers", "watcher"],
  ["watchers", "target"],
  ["pending_context", "session_key"],
  ["failures", "session_key"],
] as const;

/**
 * Part of a step: a session gets another key with everything that names it, and the old key becomes an alias (SK-9). When a
 * session with the new key exists already, it ends as one more stored life there and the moved one continues, so the
 * memory people know survives. Throws a retryable StoreError while both run a turn.
 */
export async function moveSessionKey(context: StepContext, from: SessionKey, to: SessionKey): Promise<void> {
  const { db, enqueue } = context;
  await endNamesake(context, from, to);
  const session = await db.selectFrom("sessions").selectAll().where("key", "=", from).executeTakeFirst();
  if (session !== undefined) {
    const search = searchText({ key: to, label: session.label, displayName: session.display_name });
    await db.updateTable("sessions").set({ key: to, search_text: search }).where("key", "=", from).execute();
  }
  for (const [table, column] of KEY_COLUMNS) {
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${to} where ${sql.ref(column)} = ${from}`.execute(db);
  }
  await db.updateTable("session_aliases").set({ new_key: to }).where("new_key", "=", from).execute();
  await db
    .insertInto("session_aliases")
    .values({ old_key: from, new_key: to })
    .onConflict((conflict) => conflict.column("old_key").doUpdateSet({ new_key: to }))
    .execute();
  enqueue(turnTask(to), to);
  enqueue("command", to);
}

async function endNamesake({ db, now }: StepContext, from: SessionKey, to: SessionKey): Promise<void> {
  const running = await db
    .selectFrom("turns")
    .select("session_key")
    .where("session_key", "in", [from, to])
    .where("ended_at", "is", null)
    .execute();
  if (running.length > 1) {
    throw new StoreError("move_busy", `sessions ${from} and ${to} both run a turn`, { retryable: true });
  }
  const namesake = await db
    .deleteFrom("sessions")
    .where("key", "=", to)
    .returning(["session_id", "state_version"])
    .executeTakeFirst();
  // SL-6: who watched it, or was watched by it, watched a session that is gone.
  await db
    .deleteFrom("watchers")
    .where((eb) => eb.or([eb("watcher", "=", to), eb("target", "=", to)]))
    .execute();
  if (namesake === undefined) return;
  await db
    .updateTable("session_ids")
    .set({ ended_at: now })
    .where("session_id", "=", namesake.session_id)
    .where("ended_at", "is", null)
    .execute();
  // The version of a key never goes down (SL-2).
  await db
    .updateTable("sessions")
    .set({ state_version: namesake.state_version })
    .where("key", "=", from)
    .where("state_version", "<", namesake.state_version)
    .execute();
}
