import { assertNever } from "../../core/runtime.ts";
import { NO_RIGHTS } from "../../core/session/rights.ts";
import type { StateEvent, StateEventKind } from "../../core/session/run.ts";
import { agentOf, mainSessionKey, type SessionKey } from "../../core/session/session-key.ts";
import { personWrote, watchedSessionChanged } from "../../core/texts/agent/session-notices.ts";
import type { StepContext } from "../store.ts";
import { chainOfActor } from "./chains.ts";
import { insertInput } from "./inputs.ts";

/**
 * Part of a step: appends to a session's log, raises its `stateVersion` to the new sequence and tells its watchers of what
 * others must know (SL-2 … SL-4). Returns the sequence.
 */
export async function logStateEvent(context: StepContext, event: Omit<StateEvent, "sequence" | "at">): Promise<number> {
  const { db, now } = context;
  const before = await db
    .selectFrom("sessions")
    .select(["state_version", "watched"])
    .where("key", "=", event.sessionKey)
    .executeTakeFirst();
  const { sequence } = await db
    .insertInto("state_events")
    .values({
      session_key: event.sessionKey,
      previous: before?.state_version ?? 0,
      kind: event.kind,
      actor_type: event.actorType,
      actor: event.actor,
      run_id: event.runId,
      at: now,
      summary: event.summary,
      payload_json: JSON.stringify(event.payload),
    })
    .returning("sequence")
    .executeTakeFirstOrThrow();
  await db.updateTable("sessions").set({ state_version: sequence }).where("key", "=", event.sessionKey).execute();
  if (before?.watched === 1 && notifies(event.kind)) {
    await notifyWatchers(context, { target: event.sessionKey, sequence, actor: event.actor });
  }
  return sequence;
}

/** SL-3. Runs have completions, which is their own way to whoever waits. */
function notifies(kind: StateEventKind): boolean {
  switch (kind) {
    case "human_direct_message":
    case "goal_changed":
    case "reset":
    case "bound":
    case "unbound":
      return true;
    case "created":
    case "child_spawned":
    case "run_completed":
    case "run_failed":
    case "compacted":
      return false;
    default:
      return assertNever(kind);
  }
}

export interface WatchPair {
  readonly watcher: SessionKey;
  readonly target: SessionKey;
}

/** Part of a step: the watcher is told of changes in the target after this version (SL-6); who watches already keeps their cursor. */
export async function watch(
  { db, now }: StepContext,
  { watcher, target, version }: WatchPair & { readonly version: number },
): Promise<void> {
  await db
    .insertInto("watchers")
    .values({ watcher, target, cursor: version, notice_key: null, touched_at: now })
    .onConflict((conflict) => conflict.columns(["watcher", "target"]).doUpdateSet({ touched_at: now }))
    .execute();
  await db.updateTable("sessions").set({ watched: 1 }).where("key", "=", target).execute();
}

/** Part of a step: ends one watching. */
export async function unwatch(context: StepContext, { watcher, target }: WatchPair): Promise<void> {
  const ended = await context.db
    .deleteFrom("watchers")
    .where("watcher", "=", watcher)
    .where("target", "=", target)
    .returning("notice_key")
    .execute();
  await withdrawNotices(context, ended);
}

/** Part of a step: ends all watching of a session (its reset), or also of others over it (its end). */
export async function endWatching(
  context: StepContext,
  key: SessionKey,
  how: "as_watcher" | "altogether",
): Promise<void> {
  const ended = await context.db
    .deleteFrom("watchers")
    .where((eb) =>
      how === "as_watcher" ? eb("watcher", "=", key) : eb.or([eb("watcher", "=", key), eb("target", "=", key)]),
    )
    .returning("notice_key")
    .execute();
  await withdrawNotices(context, ended);
}

async function withdrawNotices(
  { db, now }: StepContext,
  ended: readonly { readonly notice_key: string | null }[],
): Promise<void> {
  const keys = ended.flatMap((row) => (row.notice_key === null ? [] : [row.notice_key]));
  if (keys.length === 0) return;
  await db
    .updateTable("inbox")
    .set({ state: "withdrawn", settled_at: now })
    .where("key", "in", keys)
    .where("state", "=", "waiting")
    .execute();
}

/**
 * Part of a step: a session changed; everybody who watches it gets one notice, unless one of theirs still waits or they did it
 * themselves (SL-7). Its text is made once, from the cursor, and stays as it is while it waits.
 */
export async function notifyWatchers(
  context: StepContext,
  change: { readonly target: SessionKey; readonly sequence: number; readonly actor: string },
): Promise<void> {
  const { db, now } = context;
  const { target, sequence, actor } = change;
  const watchers = await db.selectFrom("watchers").selectAll().where("target", "=", target).execute();
  for (const { watcher: key, cursor, notice_key: noticeKey } of watchers) {
    const watcher = key as SessionKey;
    if (watcher === actor || watcher === target || (await isWaiting(context, noticeKey))) continue;
    const chain = await chainOfActor(context, actor);
    const next = `watch:${watcher}:${target}:${sequence}`;
    await insertInput(context, {
      key: next,
      sessionKey: watcher,
      payload: {
        kind: "notice",
        text: watchedSessionChanged(target, cursor),
        wakes: watcher === mainSessionKey(agentOf(watcher)),
        ...(chain === null ? {} : { chain }),
      },
      provenance: { kind: "system", source: "watch" },
      route: null,
      rights: NO_RIGHTS,
      cause: `change ${sequence}`,
    });
    await db
      .updateTable("watchers")
      .set({ notice_key: next, touched_at: now })
      .where("watcher", "=", watcher)
      .where("target", "=", target)
      .execute();
  }
}

async function isWaiting({ db }: StepContext, noticeKey: string | null): Promise<boolean> {
  if (noticeKey === null) return false;
  const row = await db
    .selectFrom("inbox")
    .select("seq")
    .where("key", "=", noticeKey)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Part of the step that gives notices to a turn: each watcher's cursor moves to where the target stands now (SL-7). From here on
 * the next change opens a new notice: one that comes while the turn still works would be lost otherwise.
 */
export async function noticesTaken({ db, now }: StepContext, noticeKeys: readonly string[]): Promise<void> {
  if (noticeKeys.length === 0) return;
  const taken = await db
    .selectFrom("watchers")
    .selectAll()
    .where("notice_key", "in", [...noticeKeys])
    .execute();
  for (const { watcher, target, cursor } of taken) {
    const session = await db
      .selectFrom("sessions")
      .select("state_version")
      .where("key", "=", target)
      .executeTakeFirst();
    await db
      .updateTable("watchers")
      .set({ cursor: session?.state_version ?? cursor, notice_key: null, touched_at: now })
      .where("watcher", "=", watcher)
      .where("target", "=", target)
      .execute();
  }
}

/**
 * Part of the step that accepts a person's message into a session that another session may watch: it is logged, and watchers are
 * told, only while one does (SL-3). The entry contains nothing of the message (SL-1).
 */
export async function noteDirectMessage(
  context: StepContext,
  message: { readonly sessionKey: SessionKey; readonly actor: string; readonly channel: string },
): Promise<void> {
  const { db } = context;
  const { sessionKey, actor, channel } = message;
  const watcher = await db.selectFrom("watchers").select("watcher").where("target", "=", sessionKey).executeTakeFirst();
  if (watcher === undefined) {
    await db.updateTable("sessions").set({ watched: 0 }).where("key", "=", sessionKey).execute();
    return;
  }
  await logStateEvent(context, {
    sessionKey,
    kind: "human_direct_message",
    actorType: "human",
    actor,
    runId: null,
    summary: personWrote(channel),
    payload: { channel },
  });
}
