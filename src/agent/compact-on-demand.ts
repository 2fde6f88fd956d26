import type { Compacted, CompactRequest } from "../commands/command.ts";
import { ModelError } from "../core/errors.ts";
import type { LocalTime } from "../core/local-time.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { wholeCut } from "../sessions/compaction-cut.ts";
import { pruneResults } from "../sessions/prune-results.ts";
import { sessionModel } from "../sessions/session-model.ts";
import { WINDOW_ROWS } from "../sessions/transcript-window.ts";
import { compactionState, hasCompaction } from "../store/reads/turns/compactions.ts";
import { contextTail } from "../store/reads/turns/context-tail.ts";
import type { Store } from "../store/store.ts";
import { compact } from "./compaction.ts";
import { DailyLimitReached, withinDailyLimit } from "./daily-limit.ts";
import type { BackoffPolicy } from "./model-call.ts";
import type { AgentRunner } from "./runner.ts";

export interface CompactOnDemandDeps extends Pick<Runtime, "log" | "clock"> {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly runner: () => AgentRunner;
  readonly localTime: LocalTime;
  readonly backoff: BackoffPolicy;
}

/** `/compact` (TN-12): refused when the agent's day is spent (TN-19); outside a turn, beside one that runs; what it works on stays in its context. */
export function createCompactOnDemand(deps: CompactOnDemandDeps): (request: CompactRequest) => Promise<Compacted> {
  return async ({ session, instructions, cause, actor, signal }) => {
    const { store, log } = deps;
    const settings = deps.settings();
    const agent = settings.agents.get(session.agentId);
    if (agent === undefined) return { result: "nothing" };
    if (await store.read(hasCompaction, cause)) return { result: "done_before" };
    const [tail, { prunedUpTo }] = await Promise.all([
      store.read(contextTail, { sessionId: session.sessionId, limit: WINDOW_ROWS }),
      store.read(compactionState, session.sessionId),
    ]);
    const messages = pruneResults(tail, prunedUpTo);
    const cut = wholeCut(messages);
    if (cut === null) return { result: "nothing" };
    const model = sessionModel(settings, agent, session);
    try {
      await withinDailyLimit({ settings, agent }, deps);
      const tokens = await compact({
        store,
        runner: deps.runner(),
        backoff: deps.backoff,
        session,
        models: [model, ...agent.fallbacks],
        messages,
        cut,
        fence: null,
        cause,
        actor,
        instructions,
        signal,
        // A command has no slot of the turns to give back.
        slot: { released: (wait) => wait() },
        log,
      });
      return tokens === null ? { result: "nothing" } : { result: "compacted", messages: cut, tokens };
    } catch (error) {
      if (error instanceof DailyLimitReached) return { result: "daily_limit" };
      if (!(error instanceof ModelError)) throw error;
      log.warn({ err: error, session: session.key }, "no summary could be made");
      return { result: "failed" };
    }
  };
}
