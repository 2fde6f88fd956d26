import type { TurnEvent } from "../../agent/turn/ports.ts";
import type { TurnProgress } from "../../channel/capabilities.ts";
import type { Route } from "../../core/delivery/route.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import type { Logger } from "../../core/runtime.ts";
import type { Run } from "../../core/session/run.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import type { Turn } from "../../core/session/turn.ts";
import { runOfChild } from "../../store/reads/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import type { Accounts } from "../accounts/accounts.ts";

export interface Progress {
  onTurn(event: TurnEvent): void;
  /** Sub-agents that were ended from outside, perhaps without a turn of their own running. */
  ended(sessions: readonly SessionKey[]): void;
}

/** Tells platforms that can show it which tools run in a conversation and what its sub-agents do. Only for looking at. */
export function createProgress(deps: {
  readonly accounts: Accounts;
  readonly store: Store;
  readonly log: Logger;
}): Progress {
  const show = (progress: TurnProgress): void => {
    const { channel, accountId } = progress.route;
    deps.accounts.get(channel, accountId)?.adapter()?.capabilities.progress?.show(progress);
  };

  function showOwn(route: Route, turn: Turn, state: TurnProgress["state"], lines: readonly string[]): void {
    show({ route, sessionKey: turn.sessionKey, state, lines });
  }

  /** A sub-agent is shown where it was spawned from, for as long as its run lasts. */
  async function showChild(sessionKey: SessionKey, tool: string | null): Promise<void> {
    try {
      const run = await deps.store.read(runOfChild, sessionKey);
      if (run === null || run.route === null) return;
      const state = stateOf(run);
      const name = run.label ?? run.taskName ?? "sub-agent";
      const doing = state === "waiting" ? "waiting" : (tool ?? "working");
      show({ route: run.route, sessionKey, state, lines: state === "ended" ? [] : [`${name}: ${doing}`] });
    } catch (error) {
      deps.log.debug({ err: error }, "progress could not be shown");
    }
  }

  return {
    onTurn: (event) => {
      const { turn } = event;
      const { route } = turn.source;
      const tool = event.type === "tool_begun" ? event.tool : null;
      if (turnTask(turn.sessionKey) === "child-turn") {
        if (event.type !== "step") void showChild(turn.sessionKey, tool);
      } else if (route !== null && event.type !== "step") {
        showOwn(route, turn, event.type === "turn_ended" ? "ended" : "running", tool === null ? [] : [tool]);
      }
    },
    ended: (sessions) => {
      for (const session of sessions) if (turnTask(session) === "child-turn") void showChild(session, null);
    },
  };
}

function stateOf(run: Run): TurnProgress["state"] {
  switch (run.state) {
    case "queued":
    case "waiting":
      return "waiting";
    case "running":
      return "running";
    case "ended":
      return "ended";
  }
}
