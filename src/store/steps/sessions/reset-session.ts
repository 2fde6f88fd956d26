import { randomUUID } from "node:crypto";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { SessionId } from "../../../core/ids.ts";
import type { StateEvent } from "../../../core/message/state-event.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { abortOpenTurn } from "../../parts/close-turn.ts";
import { logStateEvent } from "../../parts/log-state-event.ts";
import { settleDropped } from "../../parts/settle-dropped.ts";
import { endWatching } from "../../parts/watch.ts";
import { inboxItemFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineStep, type StepContext } from "../../store.ts";
import { type Killed, killDescendants } from "../runs/kill-run.ts";

export interface ResetInput {
  readonly sessionKey: SessionKey;
  /** What asked for it (a command's input key): the same cause twice is one reset. */
  readonly cause: string;
  readonly actor: string;
  /** `provider/model` of the new life, when `/new` names one; undefined: keep what was set. */
  readonly model?: string;
  readonly archiveAfterMs: number | null;
}

/**
 * `/new` and `/reset` (TN-13): a new session id under the same key. The old transcript stays readable by its id; a running
 * turn is aborted, unfinished children end silently, messages that wait go to the new life.
 */
export const resetSession = defineStep(
  "reset-session",
  "normal",
  async (context, input: ResetInput): Promise<{ readonly sessionId: SessionId; readonly killed: Killed }> => {
    const { db } = context;
    const known = await db.selectFrom("session_ids").selectAll().where("cause", "=", input.cause).executeTakeFirst();
    if (known !== undefined) return { sessionId: known.session_id, killed: { runs: [], sessions: [] } };
    const killed = await killDescendants(context, input.sessionKey, {
      silent: true,
      archiveAfterMs: input.archiveAfterMs,
    });
    const aborted = await abortOpenTurn(context, input.sessionKey);
    await dropResults(context, input.sessionKey);
    const { model } = input;
    const sessionId = await startNewLife(context, {
      sessionKey: input.sessionKey,
      cause: input.cause,
      actor: { type: "human", id: input.actor },
      ...(model === undefined ? {} : { model }),
    });
    return {
      sessionId,
      killed: { ...killed, sessions: aborted ? [...killed.sessions, input.sessionKey] : killed.sessions },
    };
  },
);

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
      // The goal lives on when the session starts anew by itself; who asks for a fresh one wants none of the old (ST-41).
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
    summary: "Session reset",
    payload: {},
  });
  return sessionId;
}

/** CP-11: results that came back before the reset and were not read yet are the old life's; the new one did not ask for them. */
async function dropResults(context: StepContext, sessionKey: SessionKey): Promise<void> {
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
  await settleDropped(context, rows.map(inboxItemFromRow), "the requester was reset");
}
