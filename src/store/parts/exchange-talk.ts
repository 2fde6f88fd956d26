import { conversationKey, type Route } from "../../core/delivery/delivery.ts";
import type { RunId, TurnId } from "../../core/ids.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import type { Exchange, ExchangePhase, ExchangeStage } from "../../core/session/run.ts";
import type { Session } from "../../core/session/session.ts";
import { agentOf, type SessionKey } from "../../core/session/session-key.ts";
import type { TurnOutcome } from "../../core/session/turn.ts";
import { loopLimit } from "../../core/texts/agent/session-notices.ts";
import { exchangeFromRow, sessionFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { openBindings } from "./end-binding.ts";
import { insertInput } from "./inputs.ts";

/** `said`: the other side is given it; `ended`: nothing more is said; `dropped`: the whole exchange is called off. */
export type TalkEnd =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ended" }
  | { readonly kind: "dropped" };

/** The expected state of the exchange; in any other state another step has continued it, and nothing happens. */
interface Place {
  readonly runId: RunId;
  readonly phase: ExchangePhase;
  readonly round?: number;
}

/**
 * Part of a step: what comes after a turn of an exchange (ST-24, ST-25): the next reply-back turn while the last one said
 * something and turns are left, then the announcement, then nothing.
 */
export async function goOn(context: StepContext, place: Place, end: TalkEnd): Promise<void> {
  const exchange = await find(context, place);
  if (exchange === null) return;
  if (end.kind === "dropped" || place.phase === "announce" || (await isReset(context, exchange))) {
    await setPhase(context, exchange, { phase: "over" });
    return;
  }
  if (end.kind === "said" && exchange.round < exchange.rounds) {
    // The requester has read the first reply already, inline or as its late input: it is not given again (FC-023).
    const text = exchange.phase === "reply_back" ? end.text : "";
    await replyBack(context, { ...exchange, round: exchange.round + 1 }, text);
    return;
  }
  if (end.kind === "said" && exchange.phase === "reply_back") await giveLastWords(context, exchange, end.text);
  await announce(context, exchange);
}

const answeredTo = defineStatement((db, p: { readonly turnId: TurnId }) =>
  db
    .selectFrom("exchanges")
    .select("run_id")
    .where("from_turn_id", "=", p.turnId)
    .where("over_at", "is", null)
    .where("phase", "=", "answered")
    .orderBy("created_at"),
);

/** Part of the step that ends a turn: exchanges whose reply it was given inline go on now (ST-24). */
export async function goOnAfterTurn(context: StepContext, turnId: TurnId, outcome: TurnOutcome): Promise<void> {
  const rows = await answeredTo.all(context.db, { turnId });
  const ended = outcome === "reply" || outcome === "silent" || outcome === "yielded";
  for (const { run_id: runId } of rows) {
    const end: TalkEnd = ended ? { kind: "said", text: "" } : { kind: "dropped" };
    await goOn(context, { runId, phase: "answered" }, end);
  }
}

async function find({ db }: StepContext, { runId, phase, round }: Place): Promise<Exchange | null> {
  const row = await db
    .selectFrom("exchanges")
    .selectAll()
    .where("run_id", "=", runId)
    .where("phase", "=", phase)
    .executeTakeFirst();
  const exchange = row === undefined ? null : exchangeFromRow(row);
  return exchange === null || (round !== undefined && exchange.round !== round) ? null : exchange;
}

/** Part of a step: the phase is set with the round it belongs to. */
export async function setPhase(
  { db, now }: StepContext,
  exchange: Pick<Exchange, "runId">,
  to: { readonly phase: ExchangePhase; readonly round?: number },
): Promise<void> {
  await db
    .updateTable("exchanges")
    .set({
      phase: to.phase,
      ...(to.round === undefined ? {} : { round: to.round }),
      over_at: to.phase === "over" ? now : null,
    })
    .where("run_id", "=", exchange.runId)
    .execute();
}

/** True if one side was reset since, or no longer exists (ST-24, CP-11). */
export async function isReset({ db }: StepContext, exchange: Exchange): Promise<boolean> {
  const rows = await db
    .selectFrom("sessions")
    .select(["key", "session_id"])
    .where("key", "in", [exchange.from, exchange.to])
    .execute();
  const life = (key: SessionKey): string | undefined => rows.find((row) => row.key === key)?.session_id;
  return life(exchange.from) !== exchange.fromSessionId || life(exchange.to) !== exchange.toSessionId;
}

export async function sessionOf({ db }: StepContext, key: SessionKey): Promise<Session> {
  return sessionFromRow(await db.selectFrom("sessions").selectAll().where("key", "=", key).executeTakeFirstOrThrow());
}

/** One internal turn: what it says goes to the other session only, so its input has no route. */
async function replyBack(context: StepContext, exchange: Exchange, text: string): Promise<void> {
  const { round, rounds } = exchange;
  const own = round % 2 === 1 ? exchange.from : exchange.to;
  await setPhase(context, exchange, { phase: "reply_back", round });
  await insertStage(context, exchange, {
    key: `reply-back:${exchange.runId}:${round}`,
    own,
    text,
    stage: { kind: "reply_back", turn: round, of: rounds },
    route: null,
  });
}

async function announce(context: StepContext, exchange: Exchange): Promise<void> {
  const route = exchange.announces ? await announceRoute(context, exchange.to) : null;
  if (route === null) {
    await setPhase(context, exchange, { phase: "over" });
    return;
  }
  await setPhase(context, exchange, { phase: "announce" });
  await insertStage(context, exchange, {
    key: `announce:${exchange.runId}`,
    own: exchange.to,
    text: "",
    stage: { kind: "announce" },
    route,
  });
}

/** The target's own conversation; none for a sub-agent, nor where a thread is bound: nothing of other sessions shows there (TB-3). */
async function announceRoute(context: StepContext, key: SessionKey): Promise<Route | null> {
  const { lastRoute, depth, archivedAt } = await sessionOf(context, key);
  if (lastRoute === null || depth > 0 || archivedAt !== null) return null;
  const bound = await openBindings(context, { conversation: conversationKey(lastRoute) });
  return bound.length > 0 ? null : lastRoute;
}

async function insertStage(
  context: StepContext,
  exchange: Exchange,
  input: {
    readonly key: string;
    /** The session that speaks next. */
    readonly own: SessionKey;
    readonly text: string;
    readonly stage: ExchangeStage;
    readonly route: Route | null;
  },
): Promise<void> {
  const { runId, chain, rights, round } = exchange;
  const other = input.own === exchange.from ? exchange.to : exchange.from;
  const { lastRoute, channel } = await sessionOf(context, other);
  await insertInput(context, {
    key: input.key,
    sessionKey: input.own,
    payload: {
      kind: "inter_session",
      text: input.text,
      from: other,
      fromChannel: lastRoute?.channel ?? channel,
      stage: input.stage,
      chain: { ...chain, hop: chain.hop + round },
    },
    provenance: { kind: "inter_session", from: other, agentId: agentOf(other), runId },
    route: input.route,
    rights,
    runId,
    cause: `run ${runId}`,
  });
}

/** FC-231, FC-025: at the cap the last words reach the other side without starting a turn, and say why nothing follows. */
async function giveLastWords(context: StepContext, exchange: Exchange, words: string): Promise<void> {
  const { runId, round, rounds } = exchange;
  const [other, own] = round % 2 === 1 ? [exchange.from, exchange.to] : [exchange.to, exchange.from];
  await insertInput(context, {
    key: `loop-limit:${runId}`,
    sessionKey: own,
    payload: {
      kind: "notice",
      text: loopLimit(other, { runId, rounds, words }),
      wakes: false,
    },
    provenance: { kind: "system", source: "sessions_send" },
    route: null,
    rights: NO_RIGHTS,
    cause: `run ${runId}`,
  });
}
