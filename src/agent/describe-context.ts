import type { LocalTime } from "../core/local-time.ts";
import { textOf } from "../core/message/transcript.ts";
import type { Clock } from "../core/runtime.ts";
import type { Rights } from "../core/session/rights.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { Settings } from "../core/settings.ts";
import { placePrompt } from "../routing/place-prompt.ts";
import { sessionModel } from "../sessions/session-model.ts";
import { WINDOW_ROWS } from "../sessions/transcript-window.ts";
import { runsOf } from "../store/reads/runs/runs.ts";
import { sessionByKey } from "../store/reads/sessions/sessions.ts";
import { contextTail } from "../store/reads/turns/context-tail.ts";
import type { Store } from "../store/store.ts";
import type { EffectiveToolsOf } from "../tools/policy.ts";
import { systemPrompt } from "./prompt.ts";

export interface ContextPart {
  readonly part: string;
  readonly characters: number;
}

/** What the next turn of a session would give its model, by part, with sizes (TN-18); empty for a session that is not there. */
export async function describeContext(
  key: SessionKey,
  rights: Rights,
  deps: {
    readonly store: Store;
    readonly settings: () => Settings;
    readonly clock: Clock;
    readonly localTime: LocalTime;
    readonly effectiveTools: EffectiveToolsOf;
  },
): Promise<readonly ContextPart[]> {
  const settings = deps.settings();
  const session = await deps.store.read(sessionByKey, key);
  const agent = session === null ? undefined : settings.agents.get(session.agentId);
  if (session === null || agent === undefined) return [];
  const model = sessionModel(settings, agent, session);
  const { tools } = deps.effectiveTools({ settings, agent, session, rights, model });
  const runs = await deps.store.read(runsOf, { sessionKey: key, endedSince: deps.clock.now() });
  const messages = await deps.store.read(contextTail, { sessionId: session.sessionId, limit: WINDOW_ROWS });
  const prompt = systemPrompt({
    agent,
    session,
    source: { route: session.lastRoute, kind: "event" },
    toolNames: tools.map((tool) => tool.name),
    now: deps.clock.now(),
    today: deps.localTime.day(deps.clock.now(), agent.userTimezone),
    placePrompt: placePrompt(settings, rights.group),
    activeRuns: runs.filter((run) => run.state !== "ended"),
    recentRuns: [],
  });
  return [
    ...prompt.map(({ part, text }) => ({ part, characters: text.length })),
    { part: "tool definitions", characters: JSON.stringify(tools.map((tool) => tool.parameters())).length },
    {
      part: `transcript (${messages.length} messages)`,
      characters: messages.reduce((sum, message) => sum + textOf(message.parts).length, 0),
    },
  ];
}
