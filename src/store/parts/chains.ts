import type { Insertable } from "kysely";
import type { Route } from "../../core/delivery/delivery.ts";
import type { NewMessage } from "../../core/message/transcript.ts";
import { type ChainLimits, type ChainStop, type ChainUse, chainStop } from "../../core/session/chain.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import { type Chain, chainOf } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { chainStopped } from "../../core/texts/agent/session-notices.ts";
import { chainNotice } from "../../core/texts/chat/completion-text.ts";
import { chainUseFromRow, turnFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { ChainsTable } from "../tables/work.ts";
import { insertInput } from "./inputs.ts";
import { insertDeliveries } from "./outbox.ts";
import { insertFailure } from "./record-failure.ts";

/** The origin of a chain: who is told when it is stopped, and which session's `/stop` ends it. */
export interface ChainOrigin {
  readonly sessionKey: SessionKey;
  readonly route: Route | null;
}

const opened = defineStatement((db, p: Insertable<ChainsTable>) =>
  db
    .insertInto("chains")
    .values(p)
    .onConflict((conflict) => conflict.column("id").doNothing()),
);

const turnBegun = defineStatement((db, p: Insertable<ChainsTable>) =>
  db
    .insertInto("chains")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet((eb) => ({ turns: eb("chains.turns", "+", 1), updated_at: eb.ref("excluded.updated_at") })),
    ),
);

const called = defineStatement((db, p: { readonly id: string; readonly tokens: number; readonly now: number }) =>
  db
    .updateTable("chains")
    .set((eb) => ({
      model_calls: eb("model_calls", "+", 1),
      tokens: eb("tokens", "+", p.tokens),
      updated_at: p.now,
    }))
    .where("id", "=", p.id),
);

/** Part of a step that sets something off: its chain has a row from its first message, task or notice on (ST-28). */
export async function openChain(context: StepContext, chain: Chain, origin: ChainOrigin): Promise<void> {
  await opened.run(context.db, blank(chain, origin, { now: context.now, turns: 0 }));
}

/** Part of a step: a turn begins that no person asked for. */
export async function countTurn(context: StepContext, chain: Chain, origin: ChainOrigin): Promise<void> {
  await turnBegun.run(context.db, blank(chain, origin, { now: context.now, turns: 1 }));
}

/** Part of a step: a model call of such a turn. */
export async function countCall({ db, now }: StepContext, chain: Chain, { usage }: NewMessage): Promise<void> {
  await called.run(db, { id: chain.id, tokens: usage === null ? 0 : usage.input + usage.output, now });
}

function blank(chain: Chain, origin: ChainOrigin, { now, turns }: { readonly now: number; readonly turns: number }) {
  return {
    id: chain.id,
    origin_key: origin.sessionKey,
    route_json: origin.route === null ? null : JSON.stringify(origin.route),
    turns,
    model_calls: 0,
    tokens: 0,
    stopped_by: null,
    created_at: now,
    updated_at: now,
  };
}

export async function usesOf({ db }: StepContext, ids: readonly string[]): Promise<readonly ChainUse[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("chains")
    .selectAll()
    .where("id", "in", [...new Set(ids)])
    .execute();
  return rows.map(chainUseFromRow);
}

/** Part of a step: of these chains, those that may go no further; each is stopped, and told, when it is found first. */
export async function stoppedAmong(
  context: StepContext,
  ids: readonly string[],
  limits: ChainLimits,
  stopOf: typeof chainStop = chainStop,
): Promise<ReadonlyMap<string, ChainStop>> {
  const stopped = new Map<string, ChainStop>();
  for (const use of await usesOf(context, ids)) {
    const by = stopOf(use, limits);
    if (by === null) continue;
    stopped.set(use.id, by);
    if (await markStopped(context, use.id, by)) await tellOrigin(context, use, by, limits);
  }
  return stopped;
}

/** Part of a step: true for the one that stops it. */
export async function markStopped({ db, now }: StepContext, id: string, by: ChainStop): Promise<boolean> {
  const marked = await db
    .updateTable("chains")
    .set({ stopped_by: by, updated_at: now })
    .where("id", "=", id)
    .where("stopped_by", "is", null)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

/** One line for the person the chain started from, a notice for the agent there, and an entry for the operator. */
async function tellOrigin(context: StepContext, use: ChainUse, by: ChainStop, limits: ChainLimits): Promise<void> {
  const { id, origin } = use;
  const { sessionKey, route } = origin;
  const session = await context.db
    .selectFrom("sessions")
    .select("key")
    .where("key", "=", sessionKey)
    .executeTakeFirst();
  const text = chainStopped(by, limits, use);
  await insertFailure(context, { kind: "limit", subject: id, sessionKey, message: text });
  if (route !== null) {
    const content = { kind: "message", piece: chainNotice(by, limits), replyTo: null, private: false } as const;
    const deliveries = [{ key: `chain:${id}`, route, content }];
    await insertDeliveries(context, { deliveries, sessionKey, turnId: null, runId: null });
  }
  if (session === undefined) return;
  await insertInput(context, {
    key: `chain:${id}`,
    sessionKey,
    payload: { kind: "notice", text, wakes: false },
    provenance: { kind: "system", source: "chain" },
    route: null,
    rights: NO_RIGHTS,
    cause: `chain ${id}`,
  });
}

/**
 * Part of a step: the chain of what a session has just done, by the turn it works on or has ended in this very step; null: a person or
 * the clock did it.
 */
export async function chainOfActor(context: StepContext, actor: string): Promise<Chain | null> {
  const { db, now } = context;
  const row = await db
    .selectFrom("turns")
    .selectAll()
    .where("session_key", "=", actor)
    .where((eb) => eb.or([eb("ended_at", "is", null), eb("ended_at", "=", now)]))
    .orderBy("started_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const turn = turnFromRow(row);
  const chain = chainOf(turn);
  await openChain(context, chain, { sessionKey: turn.sessionKey, route: turn.source.route });
  return chain;
}
