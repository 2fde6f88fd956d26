import { conversationKey, type Route } from "../../core/delivery/route.ts";
import type { Rights } from "../../core/session/rights.ts";
import type { TurnSource } from "../../core/session/turn.ts";
import type { StepContext } from "../store.ts";
import type { ConversationMove } from "./move-deliveries.ts";

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
  return group.id === move.from ? { ...rights, group: { ...group, id: move.to } } : rights;
}
