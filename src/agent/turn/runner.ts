import { isStoreTrouble, ModelError, StoreError } from "../../core/errors.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import { textOf } from "../../core/message/transcript.ts";
import { asSessionKey, type SessionKey } from "../../core/session/session-key.ts";
import type { Turn, TurnOutcome } from "../../core/session/turn.ts";
import type { Settings } from "../../core/settings.ts";
import type { FailureReason } from "../../core/texts/chat/failures.ts";
import { fencedError, isFenced } from "../../store/parts/sessions.ts";
import { turnInputs } from "../../store/reads/inbound/inbox.ts";
import type { BeginTurnResult } from "../../store/steps/turns/begin-turn.ts";
import { type EndTurnInput, endTurn } from "../../store/steps/turns/end-turn.ts";
import { parkTurn } from "../../store/steps/turns/park-turn.ts";
import { patiently, patientStore } from "../../store/watched-store.ts";
import type { Slot, TaskHandler } from "../../work/work-queue.ts";
import { ChainStopped, DailyLimitReached } from "../model-call.ts";
import { answerEnd, failureEnd } from "./answer.ts";
import { createBegin } from "./begin.ts";
import { buildFrame } from "./context.ts";
import { modelFailure } from "./failure.ts";
import { mergePolicy, messageMaker, watchForInterrupts } from "./inputs.ts";
import type { LoopEnd } from "./loop.ts";
import type { TurnDeps, TurnFrame } from "./ports.ts";
import { ShutdownSignal, workOnTurn } from "./work.ts";

/** TN-20: a turn that fails by a fault of our own is tried so often, then it ends and says so. */
const MAX_TRIES = 3;
const CHAIN_ENDED = "a chain of turns that no person feeds has ended";

type OpenTurn = Extract<BeginTurnResult, { turn: unknown }>;

/** The handler of the tasks `turn` and `child-turn`; the key is the session's. One call runs one turn (TN-1). */
export function createTurnRunner(deps: TurnDeps): TaskHandler {
  const begin = createBegin(deps);
  const faults = new Map<SessionKey, { readonly turnId: string; readonly times: number }>();
  return async (key, slot, signal) => {
    const sessionKey = asSessionKey(key);
    if (sessionKey === null || deps.draining()) return;
    const settings = deps.settings();
    // Registered before its row is there: a stop or a newer message that comes in between must not be missed.
    const live = deps.liveTurns.open(sessionKey);
    try {
      const begun = await begin({
        sessionKey,
        turnId: deps.ids.uuid(),
        policy: (session) => mergePolicy(settings, session, deps),
        toMessage: messageMaker(settings, sessionKey, deps),
        chains: settings.session.chains,
      });
      if (begun === null) return;
      for (const chain of begun.stopped)
        deps.log.warn({ session: sessionKey, chain: chain.id, by: chain.by }, CHAIN_ENDED);
      if (begun.result === "nothing") return;
      if (begun.result === "later") return deps.lookAgain(sessionKey, begun.at);
      watchForInterrupts(begun, { settings, live }, deps);
      await bounded(begun.turn, (isLastTry) =>
        runTurn(begun, { settings, slot, isLastTry, signals: [live.signal, signal] }, deps),
      );
    } finally {
      live.close();
    }
  };

  /** Rejects with a fault worth a retry. A resumed turn continues after its last stored step, so a retry repeats little. */
  async function bounded(turn: Turn, run: (isLastTry: boolean) => Promise<void>): Promise<void> {
    const before = faults.get(turn.sessionKey);
    const times = before?.turnId === turn.id ? before.times + 1 : 1;
    try {
      await run(times === MAX_TRIES);
      faults.delete(turn.sessionKey);
    } catch (error) {
      // Store trouble passes, and says nothing about the turn.
      if (isStoreTrouble(error)) throw error;
      faults.set(turn.sessionKey, { turnId: turn.id, times });
      if (times < MAX_TRIES) throw error;
      faults.delete(turn.sessionKey);
      deps.log.error(
        { turn: turn.id, session: turn.sessionKey, err: error },
        "a turn failed three times and is given up",
      );
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200);
      await deps.store.step(parkTurn, { turnId: turn.id, fence: turn.fence, reason });
      deps.events({ type: "turn_ended", turn, outcome: "error", ms: deps.clock.now() - turn.startedAt });
    }
  }
}

async function runTurn(
  open: OpenTurn,
  { settings, slot, isLastTry, signals }: Omit<Work, "log">,
  ports: TurnDeps,
): Promise<void> {
  const { turn, session, items } = open;
  const startedAt = ports.clock.now();
  const log = ports.log.child({ turn: turn.id, session: turn.sessionKey, ...causesOf(items) });
  const patience = { signal: signals[1], log };
  const deps: TurnDeps = {
    ...ports,
    store: patientStore(ports.store, patience),
    storeFile: (file) => patiently(() => ports.storeFile(file), patience),
  };
  deps.events({ type: "turn_begun", turn, resumed: open.result !== "begun", receivedAt: receivedAt(items) });
  try {
    const end = await endingOf(open, { settings, slot, isLastTry, log, signals }, deps);
    if (end === null) return;
    await deps.store.step(endTurn, end);
    tellWaiting(items, deps);
    const ms = deps.clock.now() - startedAt;
    log.info({ outcome: end.outcome, ms, agent: session.agentId, detail: end.failure?.message }, "turn ended");
    deps.events({ type: "turn_ended", turn, outcome: end.outcome, ms });
  } catch (error) {
    if (!isFenced(error)) throw error;
    // A stop, a kill or another process ended the turn; what it decided is stored already.
    log.info({}, "turn was ended from outside");
    tellWaiting(items, deps);
    deps.events({ type: "turn_ended", turn, outcome: "aborted", ms: deps.clock.now() - startedAt });
  }
}

interface Work {
  readonly settings: Settings;
  readonly slot: Slot;
  /** A fault of our own ends the turn now. */
  readonly isLastTry: boolean;
  readonly log: TurnDeps["log"];
  /** The session's own stop, then the process's. */
  readonly signals: readonly [AbortSignal, AbortSignal];
}

/** How the turn ends; null: it does not end now, the next start continues it. Fences and store trouble are thrown. */
async function endingOf(open: OpenTurn, work: Work, deps: TurnDeps): Promise<EndTurnInput | null> {
  const { turn, session, items } = open;
  const agent = work.settings.agents.get(session.agentId);
  if (agent === undefined) {
    return failureEnd(
      { turn, archiveAfterMs: 0, timeZone: "UTC" },
      { outcome: "error", reason: "no_agent", detail: session.agentId, items },
      deps,
    );
  }
  const fail: Fail = async (outcome, reason, detail) => {
    // With what was steered in meanwhile: a result among it gets its notice too (CP-5).
    const all = await deps.store.read(turnInputs, turn.id);
    const own = { turn, archiveAfterMs: agent.subagents.archiveAfterMs, timeZone: agent.userTimezone };
    return failureEnd(own, { outcome, reason, detail, items: all }, deps);
  };
  if (open.result === "exhausted") return await fail("interrupted", "interrupted", `begun ${turn.begins} times`);
  const frame = buildFrame({ settings: work.settings, agent, session, turn, items }, deps.effectiveTools);
  if (frame.tools.emptyBy !== null) return await fail("error", "no_tools", `${frame.tools.emptyBy} leaves no tool`);
  const [stopped, shutdown] = work.signals;
  const timeout = AbortSignal.timeout(agent.timeoutMs);
  const signal = AbortSignal.any([stopped, shutdown, timeout]);
  const output = deps.openOutput(frame);
  // A platform may be slow to take the last edit: its turns must not use up what those of the others need (DL-4).
  const finish = (): Promise<void> => work.slot.released(() => output.finish(), { forGood: true });
  try {
    const policy = mergePolicy(work.settings, session, deps);
    const end = await workOnTurn({ frame, policy, output, signal, slot: work.slot, log: work.log }, deps);
    await finish();
    return await endOf(end, frame, fail, deps);
  } catch (error) {
    await finish();
    if (error instanceof ShutdownSignal || shutdown.aborted) return null;
    if (timeout.aborted && !stopped.aborted) return await fail("timeout", "timeout", `after ${agent.timeoutMs} ms`);
    // The stop wrote the turn's end itself; there is nothing left to write.
    if (stopped.aborted) throw fencedError(turn.id);
    if (isFenced(error)) throw error;
    if (error instanceof StoreError && error.retryable) throw error;
    if (error instanceof ChainStopped) {
      work.log.warn({ chain: error.chain, by: error.by }, CHAIN_ENDED);
      return await fail("error", "chain_limit", error.by);
    }
    if (error instanceof DailyLimitReached) return await fail("error", "daily_limit", error.message);
    if (error instanceof ModelError) return await fail("error", modelFailure(error), `${error.code}: ${error.message}`);
    if (!work.isLastTry) throw error;
    work.log.error({ err: error }, "a turn failed");
    return await fail("error", "internal", error instanceof Error ? error.message : String(error));
  }
}

type Fail = (outcome: TurnOutcome, reason: FailureReason, detail: string) => Promise<EndTurnInput>;

async function endOf(end: LoopEnd, frame: TurnFrame, fail: Fail, deps: TurnDeps): Promise<EndTurnInput> {
  switch (end.kind) {
    case "final":
      return answerEnd(frame, { message: end.message, text: textOf(end.message.parts), yielded: null }, deps);
    case "yielded":
      return answerEnd(frame, { message: null, text: end.text, yielded: { wait: end.wait, note: end.note } }, deps);
    case "max_steps":
      return fail("error", "max_steps", `${frame.agent.maxSteps} steps`);
    case "same_call":
      return fail("error", "same_call", end.tool);
  }
}

function tellWaiting(items: readonly InboxItem[], { replies }: TurnDeps): void {
  for (const item of items) {
    if (item.payload.kind === "inter_session" && item.runId !== null) replies.tell(item.runId);
  }
}

function causesOf(items: readonly InboxItem[]): { readonly inputs: readonly string[] } {
  return { inputs: items.map((item) => item.cause ?? item.key) };
}

function receivedAt(items: readonly InboxItem[]): number | null {
  return items.find((item) => item.payload.kind === "event")?.receivedAt ?? null;
}
