import type { Selectable } from "kysely";
import type { TurnId } from "../../../core/ids.ts";
import { chainOfInput, type InboxItem } from "../../../core/message/inbox-item.ts";
import type { NewMessage } from "../../../core/message/transcript.ts";
import {
  beforeCommand,
  chooseInputs,
  collectsUntil,
  MAX_QUEUE_CAP,
  type MergePolicy,
} from "../../../core/message/turn-inputs.ts";
import type { ChainLimits } from "../../../core/session/chain.ts";
import type { Chain } from "../../../core/session/run.ts";
import type { Session } from "../../../core/session/session.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { Turn, TurnSource } from "../../../core/session/turn.ts";
import { yieldNote } from "../../../core/texts/agent/session-notices.ts";
import { countTurn } from "../../parts/chains.ts";
import { presentInputs } from "../../parts/present-inputs.ts";
import { sessionRow } from "../../parts/sessions.ts";
import { type StoppedChain, withoutStopped } from "../../parts/stop-chains.ts";
import { claimInputs, insertMessages, type ToMessage } from "../../parts/transcript.ts";
import { inboxItemFromRow, sessionFromRow, turnFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineStep, type StepContext } from "../../store.ts";
import type { TurnsTable } from "../../tables/work.ts";

export interface BeginTurnInput {
  readonly sessionKey: SessionKey;
  /** The id of the turn, if one begins. */
  readonly turnId: TurnId;
  readonly policy: (session: Session) => MergePolicy;
  readonly toMessage: ToMessage;
  readonly chains: ChainLimits;
}

/**
 * `resumed`: an open turn was found, of this process's former life or of another's; its fence is raised, so the former
 * owner can write no more. `exhausted`: it was started too often without a new stored step.
 */
export type BeginTurnResult = {
  /** Chains whose inputs were dropped (ST-28). */ readonly stopped: readonly StoppedChain[];
} & (
  | { readonly result: "nothing" }
  /** More may come that belongs to it (TN-3 `collect`): to be looked at again then. */
  | { readonly result: "later"; readonly at: number }
  | {
      readonly result: "begun" | "resumed" | "exhausted";
      readonly turn: Turn;
      readonly session: Session;
      readonly items: readonly InboxItem[];
    }
);

/** TN-2: a turn started this often without a new stored step ends `interrupted`. */
const MAX_BEGINS = 3;
/** More inputs than a full queue holds (TN-3). */
const MAX_INPUTS = 2 * MAX_QUEUE_CAP;

const reopen = defineStatement((db, p: { readonly key: string }) =>
  db
    .updateTable("turns")
    .set((eb) => ({ fence: eb("fence", "+", 1), begins: eb("begins", "+", 1) }))
    .where("session_key", "=", p.key)
    .where("ended_at", "is", null)
    .returningAll(),
);

const waiting = defineStatement((db, p: { readonly key: string }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", p.key)
    .where("settled_at", "is", null)
    .where((eb) =>
      eb.or([eb("state", "=", "waiting"), eb.and([eb("state", "=", "held"), eb("kind", "=", "completion")])]),
    )
    .orderBy("seq")
    .limit(MAX_INPUTS),
);

const insertRow = defineStatement((db, p: Selectable<TurnsTable>) => db.insertInto("turns").values(p));

/** Opens the next turn of a session: claims its inputs, writes them into the transcript, fixes source and route (TN-15). */
export const beginTurn = defineStep(
  "begin-turn",
  "normal",
  async (context, input: BeginTurnInput): Promise<BeginTurnResult> => {
    const { db } = context;
    const row = await sessionRow.first(db, { key: input.sessionKey });
    if (row === undefined) return { result: "nothing", stopped: [] };
    const session = sessionFromRow(row);
    const open = await reopen.first(db, { key: input.sessionKey });
    if (open !== undefined) {
      const turn = turnFromRow(open);
      const items = await db.selectFrom("inbox").selectAll().where("turn_id", "=", turn.id).orderBy("seq").execute();
      const result = turn.begins > MAX_BEGINS ? "exhausted" : "resumed";
      return { result, turn, session, items: items.map(inboxItemFromRow), stopped: [] };
    }
    const policy = input.policy(session);
    const all = await waitingInputs(context, session, policy);
    const { items: left, stopped } = await withoutStopped(context, session, all, input.chains);
    const items = chooseInputs(left, policy);
    const first = items.find((item) => item.payload.kind !== "notice") ?? items[0];
    if (first === undefined) return { result: "nothing", stopped };
    if (policy.mode(first.route) === "collect") {
      const at = collectsUntil(items, policy, await lastEnd(context, session));
      if (at !== null && at > context.now) return { result: "later", at, stopped };
    }
    const turn = await insertTurn(context, {
      id: input.turnId,
      session,
      source: sourceOf(first, items),
      runId: first.runId,
    });
    const { chain, route } = turn.source;
    if (chain !== null) await countTurn(context, chain, { sessionKey: session.key, route });
    if (session.yieldNote !== null && first.payload.kind === "completion") {
      await recallYieldNote(context, turn, session.yieldNote);
    }
    await claimInputs(context, { turn, session, items, toMessage: input.toMessage });
    return { result: "begun", turn, session, items, stopped };
  },
);

/**
 * A yielded session waits for all its completions together, and they are `held`; a person's message takes what is there
 * (CP-8). Without another input held completions stay where they are.
 */
async function waitingInputs(
  context: StepContext,
  session: Session,
  { presentAccess }: MergePolicy,
): Promise<readonly InboxItem[]> {
  const rows = await waiting.all(context.db, { key: session.key });
  const items = await presentInputs(context, beforeCommand(rows.map(inboxItemFromRow)), presentAccess);
  const awake = items.some((item) => item.state === "waiting" && item.payload.kind === "event");
  return awake ? items : items.filter((item) => item.state === "waiting");
}

/** When the session's newest turn ended; null: it had none. */
async function lastEnd({ db }: StepContext, session: Session): Promise<number | null> {
  const row = await db
    .selectFrom("turns")
    .select("ended_at")
    .where("session_key", "=", session.key)
    .orderBy("started_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.ended_at ?? null;
}

/** What the session told itself when it yielded is the first thing the resumed turn reads (CP-8). */
async function recallYieldNote(context: StepContext, turn: Turn, note: string): Promise<void> {
  const message: NewMessage = {
    role: "user",
    parts: [{ type: "text", text: yieldNote(note) }],
    provenance: { kind: "system", source: "sessions_yield" },
    usage: null,
  };
  await insertMessages(context, { sessionId: turn.sessionId, sessionKey: turn.sessionKey, turnId: turn.id }, [message]);
  await context.db.updateTable("sessions").set({ yield_note: null }).where("key", "=", turn.sessionKey).execute();
}

function sourceOf(first: InboxItem, items: readonly InboxItem[]): TurnSource {
  const { payload, route, rights } = first;
  if (payload.kind === "command") throw new Error("a command is never an input of a turn");
  const last = items.findLast((item) => item.payload.kind === "event");
  const replyTo = last?.payload.kind === "event" ? last.payload.messageId : null;
  return { kind: payload.kind, route, rights, replyTo, chain: last === undefined ? furthestChain(items) : null };
}

/** ST-24: what other sessions set off goes on with their chain, the one that has gone furthest; a person's message begins anew. */
function furthestChain(items: readonly InboxItem[]): Chain | null {
  const chains = items.flatMap(({ payload }) => chainOfInput(payload) ?? []);
  return chains.reduce<Chain | null>((far, chain) => (far === null || chain.hop > far.hop ? chain : far), null);
}

async function insertTurn(
  { db, now }: StepContext,
  input: { readonly id: TurnId; readonly session: Session; readonly source: TurnSource; readonly runId: string | null },
): Promise<Turn> {
  const row = {
    id: input.id,
    session_key: input.session.key,
    session_id: input.session.sessionId,
    source_json: JSON.stringify(input.source),
    fence: 1,
    begins: 1,
    run_id: input.runId,
    outcome: null,
    error: null,
    stop_requested: 0,
    started_at: now,
    ended_at: null,
  };
  await insertRow.run(db, row);
  if (input.runId !== null) {
    await db
      .updateTable("runs")
      .set((eb) => ({ state: "running", started_at: eb.fn.coalesce("started_at", eb.val(now)) }))
      .where("id", "=", input.runId)
      .where("ended_at", "is", null)
      .execute();
  }
  return turnFromRow(row);
}
