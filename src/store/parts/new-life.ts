import { randomUUID } from "node:crypto";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { StateEvent } from "../../core/session/run.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { SESSION_RESET } from "../../core/texts/agent/session-notices.ts";
import { COMPLETION } from "../../core/texts/store/outcomes.ts";
import { inboxItemFromRow } from "../rows.ts";
import type { Schema } from "../schema.ts";
import type { StepContext } from "../store.ts";
import { settleDropped } from "./close-turn.ts";
import { endWatching, logStateEvent } from "./session-log.ts";

/** Part of a step: another session id under the same key, with counters at zero and nothing it yielded for (TN-13). */
export async function startNewLife(
  context: StepContext,
  input: {
    readonly sessionKey: SessionKey;
    readonly cause: string;
    readonly actor: { readonly type: StateEvent["actorType"]; readonly id: string };
    readonly model?: string;
  },
): Promise<SessionId> {
  const { db, now } = context;
  const { sessionKey, cause, actor, model } = input;
  await dropTalk(context, sessionKey);
  await endWatching(context, sessionKey, "as_watcher");
  const sessionId = randomUUID();
  await db
    .updateTable("session_ids")
    .set({ ended_at: now })
    .where("session_key", "=", sessionKey)
    .where("ended_at", "is", null)
    .execute();
  const begun = { started_at: now, ended_at: null, cause, fork_session_id: null, fork_seq: null };
  await db
    .insertInto("session_ids")
    .values({ session_id: sessionId, session_key: sessionKey, ...begun })
    .execute();
  await db
    .updateTable("sessions")
    .set({
      session_id: sessionId,
      context_tokens: 0,
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      updated_at: now,
      yield_wait: null,
      yield_note: null,
      reset_due: 0,
      // An automatic reset keeps the goal; a person who asks for a new session wants nothing of the old one (ST-41).
      ...(actor.type === "human" ? { goal_json: null } : {}),
      ...(model === undefined ? {} : { model_override: model }),
    })
    .where("key", "=", sessionKey)
    .execute();
  await logStateEvent(context, {
    sessionKey,
    kind: "reset",
    actorType: actor.type,
    actor: actor.id,
    runId: null,
    summary: SESSION_RESET,
    payload: {},
  });
  return sessionId;
}

/** Part of a step, CP-11: results that came back before the reset and were not read yet are the old life's; the new one did not ask for them. */
export async function dropResults(context: StepContext, sessionKey: SessionKey): Promise<void> {
  await dropWaiting(context, sessionKey, (eb) => eb("kind", "=", "completion"));
}

/** ST-24: what would go on with an exchange of the old life; a message of another session stays, like a person's. */
async function dropTalk(context: StepContext, sessionKey: SessionKey): Promise<void> {
  await dropWaiting(context, sessionKey, (eb) =>
    eb.and([eb("kind", "=", "inter_session"), eb("key", "not like", "send:%")]),
  );
}

async function dropWaiting(
  context: StepContext,
  sessionKey: SessionKey,
  which: (eb: ExpressionBuilder<Schema, "inbox">) => Expression<SqlBool>,
): Promise<void> {
  const rows = await context.db
    .updateTable("inbox")
    .set({ state: "withdrawn", settled_at: context.now })
    .where("session_key", "=", sessionKey)
    .where("settled_at", "is", null)
    .where("state", "in", ["waiting", "held"])
    .where(which)
    .returningAll()
    .execute();
  await settleDropped(context, rows.map(inboxItemFromRow), COMPLETION.requesterReset);
}

/**
 * Part of a step, when a person writes to a session whose automatic reset is due (TN-13): a message starts the new life and is
 * its first. A command only looks at the old one, and while the session works or waits for results they are the old life's: the
 * reset then waits, noted in its row, for the next message.
 */
export async function resetWhenFree(
  context: StepContext,
  session: Session,
  by: { readonly kind: "event" | "command"; readonly identity: string },
): Promise<void> {
  const { db, now } = context;
  if (by.kind === "command" || (await isBusy(context, session))) {
    if (!session.resetDue)
      await db.updateTable("sessions").set({ reset_due: 1 }).where("key", "=", session.key).execute();
    return;
  }
  await startNewLife(context, {
    sessionKey: session.key,
    cause: `auto-reset:${by.identity}:${now}`,
    actor: { type: "system", id: "session.reset" },
  });
}

async function isBusy({ db }: StepContext, session: Session): Promise<boolean> {
  const turn = await db
    .selectFrom("turns")
    .select("id")
    .where("session_key", "=", session.key)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  if (turn !== undefined) return true;
  const run = await db
    .selectFrom("runs")
    .select("id")
    .where("wake_key", "=", session.key)
    .where("ended_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (run !== undefined) return true;
  const result = await db
    .selectFrom("inbox")
    .select("seq")
    .where("session_key", "=", session.key)
    .where("settled_at", "is", null)
    .where("kind", "=", "completion")
    .limit(1)
    .executeTakeFirst();
  return result !== undefined;
}
