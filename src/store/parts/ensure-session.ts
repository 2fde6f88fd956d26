import { randomUUID } from "node:crypto";
import type { Route } from "../../core/delivery/route.ts";
import type { AgentId, ChannelId } from "../../core/ids.ts";
import type { Session } from "../../core/session/session.ts";
import { type SessionKey, sessionKind } from "../../core/session/session-key.ts";
import { sessionFromRow } from "../rows.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import { logStateEvent } from "./log-state-event.ts";

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
    summary: "Session created",
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
