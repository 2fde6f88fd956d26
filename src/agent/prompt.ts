import { textOf } from "../core/message/transcript.ts";
import type { Clock } from "../core/runtime.ts";
import type { Rights } from "../core/session/rights.ts";
import type { Run } from "../core/session/run.ts";
import type { Session } from "../core/session/session.ts";
import type { SessionKey } from "../core/session/session-key.ts";
import type { TurnSource } from "../core/session/turn.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { promptLabel } from "../core/text/prompt-words.ts";
import { promptPart, promptTexts } from "../core/texts/agent/prompt.ts";
import type { LocalTime } from "../core/time.ts";
import { placePrompt } from "../routing/places.ts";
import { sessionModel, WINDOW_ROWS } from "../sessions/context-window.ts";
import { runsOf } from "../store/reads/runs/runs.ts";
import { sessionByKey } from "../store/reads/sessions/targets.ts";
import { contextTail } from "../store/reads/turns/context.ts";
import type { Store } from "../store/store.ts";
import type { EffectiveToolsOf } from "../tools/policy.ts";
import { isMcpToolName } from "../tools/policy.ts";

export interface PromptPart {
  readonly part: string;
  readonly text: string;
}

export interface PromptFacts {
  readonly agent: AgentSettings;
  readonly session: Session;
  readonly source: Pick<TurnSource, "route" | "kind">;
  readonly toolNames: readonly string[];
  /** A time in the agent's zone, to the minute. */
  readonly timeText: (at: number) => string;
  /** The date in the agent's time zone. */
  readonly today: string;
  /** The place's own prompt (`groups.<id>.systemPrompt` and the like). */
  readonly placePrompt: string | null;
  readonly activeRuns: readonly Run[];
  readonly recentRuns: readonly Run[];
}

/**
 * The system prompt in its parts (TN-18): instructions, who and where, the rules of servers' tools, provenance rules, time zone.
 * Nothing secret. A sub-agent's holds only its rules and where it stands (SP-4). It stays the same from turn to turn, so that
 * providers find it in their caches: what changes is in `stateParts` (FC-234).
 */
export function systemPrompt(facts: PromptFacts): readonly PromptPart[] {
  const { session, agent, source } = facts;
  const isChild = session.depth > 0;
  const parts: PromptPart[] = [
    isChild
      ? { part: promptPart.subagent, text: childRules(facts) }
      : { part: promptPart.instructions, text: agent.instructions },
    { part: promptPart.place, text: place(facts) },
    { part: promptPart.placePrompt, text: facts.placePrompt ?? "" },
    { part: promptPart.tools, text: facts.toolNames.some(isMcpToolName) ? promptTexts.serverTools : "" },
    { part: promptPart.provenance, text: promptTexts.provenance },
    { part: promptPart.silence, text: isChild && source.route === null ? "" : promptTexts.silence },
  ];
  return parts.filter(({ text }) => text.trim() !== "");
}

/** What is so at this moment: the goal, the sub-agents there are (CP-9). Stands right before the turn's inputs. */
function stateParts(facts: PromptFacts): readonly PromptPart[] {
  const parts: PromptPart[] = [
    { part: promptPart.goal, text: goalBlock(facts) },
    { part: promptPart.runs, text: runsBlock(facts) },
  ];
  return parts.filter(({ text }) => text !== "");
}

/** The same as one message; null: there is nothing to say. */
export function stateNote(facts: PromptFacts): string | null {
  const parts = stateParts(facts);
  return parts.length === 0 ? null : [promptTexts.state, ...parts.map(({ text }) => text)].join("\n");
}

export function promptText(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join("\n\n");
}

function childRules({ session, source }: PromptFacts): string {
  // With a route of its own it talks in its thread (TB-2).
  const readers = source.route === null ? promptTexts.resultReader : promptTexts.threadReaders;
  return [promptTexts.subagent, readers, promptTexts.spawnedBy(session.spawnedBy)].join("\n");
}

/** Where the session's people are: the same in a turn that answers nobody. */
function channelOf({ source, session }: PromptFacts): string | null {
  return source.route?.channel ?? (session.depth > 0 ? null : (session.lastRoute?.channel ?? null));
}

function place(facts: PromptFacts): string {
  const { agent, session, today } = facts;
  const channel = channelOf(facts);
  const where = channel === null ? promptTexts.nobody : promptTexts.channel(channel);
  // The day only: a text that changes every minute would make every provider's prompt cache useless.
  return [promptTexts.identity(agent, session.key), where, promptTexts.today(today, agent.userTimezone)].join("\n");
}

/** ST-41: what the session works towards, until it is complete. */
function goalBlock({ session: { goal } }: PromptFacts): string {
  if (goal === null || goal.state === "complete") return "";
  return [
    promptTexts.goal(goal.state, goal.objective),
    ...(goal.note === null ? [] : [promptTexts.goalNote(goal.note)]),
    promptTexts.goalRule[goal.state],
  ].join("\n");
}

function runsBlock({ activeRuns, recentRuns, timeText }: PromptFacts): string {
  const block = (title: string, runs: readonly Run[]): readonly string[] =>
    runs.length === 0 ? [] : [[title, ...runs.map((run) => line(run, timeText))].join("\n")];
  return [...block(promptTexts.activeRuns, activeRuns), ...block(promptTexts.recentRuns, recentRuns)].join("\n");
}

function line(run: Run, timeText: PromptFacts["timeText"]): string {
  const name = promptLabel(run.label ?? run.taskName ?? promptTexts.unnamedRun);
  return promptTexts.run(name, run.sessionKey, run.outcome ?? run.state, timeText(run.endedAt ?? run.createdAt));
}

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
  const facts: PromptFacts = {
    agent,
    session,
    source: { route: session.lastRoute, kind: "event" },
    toolNames: tools.map((tool) => tool.name),
    timeText: (at) => deps.localTime.minute(at, agent.userTimezone),
    today: deps.localTime.day(deps.clock.now(), agent.userTimezone),
    placePrompt: placePrompt(settings, rights.group),
    activeRuns: runs.filter((run) => run.state !== "ended"),
    recentRuns: [],
  };
  return [
    ...[...systemPrompt(facts), ...stateParts(facts)].map(({ part, text }) => ({ part, characters: text.length })),
    { part: promptPart.definitions, characters: JSON.stringify(tools.map((tool) => tool.parameters())).length },
    {
      part: promptPart.transcript(messages.length),
      characters: messages.reduce((sum, message) => sum + textOf(message.parts).length, 0),
    },
  ];
}
