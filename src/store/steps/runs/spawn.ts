import type { Route, ThreadContent } from "../../../core/delivery/delivery.ts";
import type { AgentId, CallId, RunId } from "../../../core/ids.ts";
import type { NewMessage } from "../../../core/message/transcript.ts";
import type { Rights } from "../../../core/session/rights.ts";
import type { BindingLimits, Chain, Run } from "../../../core/session/run.ts";
import type { ThinkingLevel } from "../../../core/session/session.ts";
import { agentOf, type SessionKey } from "../../../core/session/session-key.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { subagentSpawned } from "../../../core/texts/agent/session-notices.ts";
import { insertPending } from "../../parts/bind.ts";
import { openChain } from "../../parts/chains.ts";
import { insertInput } from "../../parts/inputs.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { logStateEvent, watch } from "../../parts/session-log.ts";
import { continueFrom, ensureSession, forkPoint } from "../../parts/sessions.ts";
import { appendToTurn } from "../../parts/transcript.ts";
import { runFromRow, sessionFromRow } from "../../rows.ts";
import { defineStep, type StepContext } from "../../store.ts";

export interface SpawnInput {
  readonly callId: CallId;
  readonly runId: RunId;
  readonly parent: SessionKey;
  readonly childKey: SessionKey;
  readonly agentId: AgentId;
  readonly task: string;
  readonly label: string | null;
  readonly taskName: string | null;
  readonly model: string;
  readonly modelOverride: string | null;
  readonly thinking: ThinkingLevel | null;
  readonly cleanup: Run["cleanup"];
  readonly expectsCompletion: boolean;
  readonly completionTarget: Run["completionTarget"];
  readonly mode: Run["mode"];
  /** Its own thread, which is created first (TB-1); null: it has none. */
  readonly thread: (BindingLimits & { readonly content: ThreadContent }) | null;
  /** The requester's transcript, read on from here (SP-5), unless it is longer than so many tokens; null: isolated. */
  readonly fork: { readonly maxTokens: number } | null;
  readonly route: Route | null;
  readonly rights: Rights;
  /** What the turn or command that spawns belongs to (ST-28). */
  readonly chain: Chain;
  /** 0: none. */
  readonly runTimeoutMs: number;
  /** Most active children of one requester (SP-6); checked where the run is written, so parallel spawns cannot pass it. */
  readonly maxChildren: number;
  /** The turn whose tool call it is, and how its result reads; null: a person's command spawned it. */
  readonly turn: (TurnFence & { readonly resultOf: (run: Run) => NewMessage }) | null;
}

export type SpawnResult =
  | { readonly result: "accepted"; readonly run: Run }
  /** `holding`: the runs that hold the slots (FC-115). */
  | { readonly result: "full"; readonly holding: readonly Run[] };

/**
 * SP-2: child session, first input, run and completion duty, in the transaction of the tool result, keyed by the tool call;
 * a replay returns the same ids and never spawns twice.
 */
export const spawn = defineStep("spawn", "normal", async (context, input: SpawnInput): Promise<SpawnResult> => {
  const { db } = context;
  const known = await db.selectFrom("runs").selectAll().where("call_id", "=", input.callId).executeTakeFirst();
  if (known !== undefined) {
    const run = runFromRow(known);
    await storeResult(context, input, run);
    return { result: "accepted", run };
  }
  const active = await db
    .selectFrom("runs")
    .selectAll()
    .where("wake_key", "=", input.parent)
    .where("ended_at", "is", null)
    .where("kind", "=", "spawn")
    .execute();
  if (active.length >= input.maxChildren) return { result: "full", holding: active.map(runFromRow) };
  const run = await insertRun(context, input);
  await storeResult(context, input, run);
  return { result: "accepted", run };
});

async function storeResult(context: StepContext, { turn }: SpawnInput, run: Run): Promise<void> {
  if (turn === null) return;
  await appendToTurn(context, { turnId: turn.turnId, fence: turn.fence, message: turn.resultOf(run) });
}

async function insertRun(context: StepContext, input: SpawnInput): Promise<Run> {
  const { db, now, enqueue } = context;
  const parent = sessionFromRow(
    await db.selectFrom("sessions").selectAll().where("key", "=", input.parent).executeTakeFirstOrThrow(),
  );
  const depth = parent.depth + 1;
  const child = await ensureSession(context, {
    key: input.childKey,
    agentId: input.agentId,
    channel: null,
    originRoute: input.route,
    spawnedBy: input.parent,
    depth,
    label: input.label,
  });
  await db
    .updateTable("sessions")
    .set({ model_override: input.modelOverride, thinking: input.thinking })
    .where("key", "=", input.childKey)
    .execute();
  const fork = input.fork === null ? null : await forkPoint(context, parent, input.fork.maxTokens);
  if (fork !== null && fork !== "over_window") await continueFrom(context, input.childKey, fork);
  const timeoutAt = input.runTimeoutMs === 0 ? null : now + input.runTimeoutMs;
  const row = {
    id: input.runId,
    kind: "spawn",
    call_id: input.callId,
    session_key: input.childKey,
    wake_key: input.parent,
    wake_session_id: parent.sessionId,
    route_json: input.route === null ? null : JSON.stringify(input.route),
    rights_json: JSON.stringify(input.rights),
    chain_json: JSON.stringify(input.chain),
    state: "queued",
    outcome: null,
    result: null,
    error: null,
    task: input.task,
    label: input.label,
    task_name: input.taskName,
    mode: input.mode,
    cleanup: input.cleanup,
    agent_id: input.agentId,
    model: input.model,
    depth,
    expects_completion: input.expectsCompletion ? 1 : 0,
    completion_target: input.completionTarget,
    context: fork === null ? "isolated" : fork === "over_window" ? fork : "fork",
    timeout_at: timeoutAt,
    input_tokens: 0,
    output_tokens: 0,
    created_at: now,
    started_at: null,
    ended_at: null,
  };
  await db.insertInto("runs").values(row).execute();
  await openChain(context, input.chain, { sessionKey: input.parent, route: input.route });
  await insertInput(context, {
    key: `task:${input.runId}`,
    sessionKey: input.childKey,
    payload: { kind: "task", text: input.task, from: input.parent, chain: input.chain },
    provenance: { kind: "task", from: input.parent },
    // Its place comes with the thread.
    state: input.thread === null ? "waiting" : "held",
    route: null,
    rights: input.rights,
    runId: input.runId,
    callId: input.callId,
    cause: `run ${input.runId}`,
  });
  if (timeoutAt !== null) enqueue("run-timeout", input.runId, timeoutAt);
  await watch(context, { watcher: input.parent, target: input.childKey, version: child.stateVersion });
  await makeThread(context, input);
  await logStateEvent(context, {
    sessionKey: input.parent,
    kind: "child_spawned",
    actorType: "agent",
    actor: agentOf(input.parent),
    runId: input.runId,
    summary: subagentSpawned(input.label ?? input.childKey),
    payload: {},
  });
  return runFromRow(row);
}

/** TB-1: keyed by the tool call, like everything of a spawn. */
async function makeThread(context: StepContext, input: SpawnInput): Promise<void> {
  const { thread, route, runId, childKey, parent } = input;
  if (thread === null || route === null) return;
  const deliveryKey = `thread:${input.callId}`;
  const { content, ...limits } = thread;
  const binding = { id: `run:${runId}`, sessionKey: childKey, createdBy: parent, runId, ...limits };
  await insertPending(context, { ...binding, from: route, deliveryKey });
  const deliveries = [{ key: deliveryKey, route, content }];
  await insertDeliveries(context, { deliveries, sessionKey: childKey, turnId: null, runId });
}
