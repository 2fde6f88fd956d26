import { randomUUID } from "node:crypto";
import type { Route } from "../../core/delivery/delivery.ts";
import { StoreError } from "../../core/errors.ts";
import type { AgentId, ChannelId, SessionId } from "../../core/ids.ts";
import type { Session } from "../../core/session/session.ts";
import { type SessionKey, sessionKind } from "../../core/session/session-key.ts";
import type { Turn, TurnFence } from "../../core/session/turn.ts";
import { SESSION_CREATED } from "../../core/texts/agent/session-notices.ts";
import { sessionFromRow, turnFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { endWatching, logStateEvent } from "./session-log.ts";

export interface NewSession {
  readonly key: SessionKey;
  readonly agentId: AgentId;
  readonly channel: ChannelId | null;
  readonly originRoute: Route | null;
  readonly spawnedBy?: SessionKey;
  readonly depth?: number;
  readonly label?: string | null;
}

/** What `search` looks through (ST-1): key, label and display name, case-folded. */
export function searchText(session: { key: string; label: string | null; displayName: string | null }): string {
  return [session.key, session.label ?? "", session.displayName ?? ""].join("\n").toLowerCase();
}

/** A session's row by its key. */
export const sessionRow = defineStatement((db, p: { readonly key: SessionKey }) =>
  db.selectFrom("sessions").selectAll().where("key", "=", p.key),
);

/** Part of a step: the session of a key, created with its `created` event and its lineage when it is missing. */
export async function ensureSession(context: StepContext, input: NewSession): Promise<Session> {
  const { db, now } = context;
  const known = await sessionRow.first(db, { key: input.key });
  if (known !== undefined) return sessionFromRow(known);
  const sessionId = randomUUID();
  const label = input.label ?? null;
  const route = input.originRoute === null ? null : JSON.stringify(input.originRoute);
  const row = {
    key: input.key,
    session_id: sessionId,
    agent_id: input.agentId,
    kind: sessionKind(input.key),
    channel: input.channel,
    label,
    display_name: null,
    search_text: searchText({ key: input.key, label, displayName: null }),
    model_override: null,
    thinking: null,
    show_reasoning: 0,
    queue_json: null,
    show_tools: 0,
    usage_line: "off",
    spawned_by: input.spawnedBy ?? null,
    depth: input.depth ?? 0,
    send_policy: null,
    pinned: 0,
    archived_at: null,
    origin_route_json: route,
    last_route_json: route,
    state_version: 0,
    watched: 0,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    context_tokens: 0,
    created_at: now,
    updated_at: now,
    last_human_at: null,
    reset_due: 0,
    yield_wait: null,
    yield_note: null,
    goal_json: null,
  };
  await db.insertInto("sessions").values(row).execute();
  await db
    .insertInto("session_ids")
    .values({
      session_id: sessionId,
      session_key: input.key,
      started_at: now,
      ended_at: null,
      cause: `created:${input.key}`,
      fork_session_id: null,
      fork_seq: null,
    })
    .execute();
  if (input.spawnedBy !== undefined) await recordLineage(context, input.spawnedBy, input.key);
  const stateVersion = await logStateEvent(context, {
    sessionKey: input.key,
    kind: "created",
    actorType: "system",
    actor: input.spawnedBy ?? input.channel ?? "switchyard",
    runId: null,
    summary: SESSION_CREATED,
    payload: input.channel === null ? {} : { channel: input.channel },
  });
  return { ...sessionFromRow(row), stateVersion };
}

/** Lineage is closed at once: the parent and all its ancestors see the new session (VS-1). */
async function recordLineage({ db }: StepContext, parent: SessionKey, child: SessionKey): Promise<void> {
  const above = await db.selectFrom("session_lineage").select("ancestor").where("descendant", "=", parent).execute();
  const ancestors = [parent, ...above.map((row) => row.ancestor)];
  await db
    .insertInto("session_lineage")
    .values(ancestors.map((ancestor) => ({ ancestor, descendant: child })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Part of a step: a sub-agent's session is removed with what it remembers (SP-1 `cleanup: "delete"`). What others still need
 * stays: its run with the result, its place in the lineage, and a transcript that a fork reads on from (SP-5).
 */
export async function deleteSession(context: StepContext, key: SessionKey): Promise<void> {
  const { db } = context;
  await endWatching(context, key, "altogether");
  const forked = await db
    .selectFrom("session_ids as fork")
    .innerJoin("session_ids as own", "own.session_id", "fork.fork_session_id")
    .select("fork.session_id")
    .where("own.session_key", "=", key)
    .where("fork.session_key", "<>", key)
    .limit(1)
    .executeTakeFirst();
  if (forked === undefined) {
    const lives = db.selectFrom("session_ids").select("session_id").where("session_key", "=", key);
    await db.deleteFrom("compactions").where("session_id", "in", lives).execute();
    // By life: transcripts have no index by key.
    await db.deleteFrom("messages").where("session_id", "in", lives).execute();
    await db.deleteFrom("session_ids").where("session_key", "=", key).execute();
  }
  for (const table of ["inbox", "turns", "state_events", "pending_context"] as const) {
    await db.deleteFrom(table).where("session_key", "=", key).execute();
  }
  await db.deleteFrom("sessions").where("key", "=", key).execute();
}

/** The last message of a life that a fork shares. */
export interface ForkPoint {
  readonly sessionId: SessionId;
  readonly seq: number;
}

/**
 * Part of a step: where a child's copy of the requester's history ends (SP-5): the current message and finished tool results
 * are in it, the step that holds the spawn call is not, nor anything of a step that still runs. null: there is no history.
 */
export async function forkPoint(
  { db }: StepContext,
  parent: Session,
  maxTokens: number,
): Promise<ForkPoint | "over_window" | null> {
  if (parent.contextTokens > maxTokens) return "over_window";
  const open = await db
    .selectFrom("turns")
    .select("id")
    .where("session_key", "=", parent.key)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  const step = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.max("seq").as("seq"))
    .where("session_id", "=", parent.sessionId)
    .where("turn_id", "=", open?.id ?? "")
    .where("role", "=", "assistant")
    .executeTakeFirst();
  const before = open === undefined || step?.seq == null ? Number.MAX_SAFE_INTEGER : Number(step.seq);
  const last = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.max("seq").as("seq"))
    .where("session_id", "=", parent.sessionId)
    .where("seq", "<", before)
    .executeTakeFirst();
  return last?.seq == null ? null : { sessionId: parent.sessionId, seq: Number(last.seq) };
}

/** Part of a step: the newest life of a session goes on from there. */
export async function continueFrom({ db }: StepContext, key: SessionKey, from: ForkPoint): Promise<void> {
  await db
    .updateTable("session_ids")
    .set({ fork_session_id: from.sessionId, fork_seq: from.seq })
    .where("session_key", "=", key)
    .where("ended_at", "is", null)
    .execute();
}

/** The turn was ended, or another process took it: whoever asked must stop working on it at once. */
export function fencedError(turnId: string): StoreError {
  return new StoreError("turn_fenced", `turn ${turnId} is no longer this process's`, { retryable: false });
}

export function isFenced(error: unknown): boolean {
  return error instanceof StoreError && error.code === "turn_fenced";
}

const openTurn = defineStatement((db, p: TurnFence) =>
  db
    .updateTable("turns")
    .set({ begins: 0 })
    .where("id", "=", p.turnId)
    .where("fence", "=", p.fence)
    .where("ended_at", "is", null)
    .returningAll(),
);

/**
 * Part of every step of a turn (TN-1): writes nothing unless the turn is open and the fence current, and notes that a new
 * step was stored, so that only turns that get nowhere count as begun in vain (TN-2).
 */
export async function passFence({ db }: StepContext, { turnId, fence }: TurnFence): Promise<Turn> {
  const row = await openTurn.first(db, { turnId, fence });
  if (row === undefined) throw fencedError(turnId);
  return turnFromRow(row);
}
