import type { Route } from "../core/delivery/delivery.ts";
import { channelQueue, type QueueDrop, type QueueMode, queueWith } from "../core/message/turn-inputs.ts";
import { modelFacts, modelRefText } from "../core/models.ts";
import type { ChainUse } from "../core/session/chain.ts";
import type { Session, ThinkingLevel } from "../core/session/session.ts";
import { parseSessionKey } from "../core/session/session-key.ts";
import { costOfTokens } from "../core/session/spending.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { cutText } from "../core/text/cut.ts";
import { sessionTexts } from "../core/texts/commands/session.ts";
import { statusCardTexts as texts } from "../core/texts/commands/status-card.ts";
import { newestChainFrom } from "../store/reads/runs/chains.ts";
import { sessionActivity } from "../store/reads/sessions/targets.ts";
import type { Store } from "../store/store.ts";
import { type ModelReason, sessionModelOf } from "./context-window.ts";

/** The facts on the status card (ST-30). Times are milliseconds since the epoch. */
export interface StatusFacts {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly displayName: string | null;
  readonly agent: { readonly id: string; readonly name: string };
  readonly runtime: {
    readonly name: "switchyard";
    readonly version: string;
    readonly state: "idle" | "queued" | "running";
    /** When the running turn began. */
    readonly since: number | null;
  };
  readonly model: { readonly ref: string; readonly why: ModelReason };
  readonly thinking: { readonly level: ThinkingLevel | null; readonly why: "session" | "agent" | "model" };
  readonly showReasoning: boolean;
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cached: number;
    /** Of the last model call. `contextWindow` is the model's limit. */
    readonly context: number;
    readonly contextWindow: number;
  };
  /** In the currency of the configured prices; null: the model has no price. */
  readonly cost: number | null;
  readonly now: number;
  readonly timeZone: string;
  readonly queue: {
    readonly mode: QueueMode;
    readonly cap: number;
    readonly drop: QueueDrop;
    readonly waiting: number;
  };
  readonly children: number;
  /** What the newest message here has set off between agents, and the limits (ST-28); null: nothing. */
  readonly chain: {
    readonly turns: number;
    readonly maxTurns: number;
    readonly modelCalls: number;
    readonly maxModelCalls: number;
    readonly stoppedBy: string | null;
  } | null;
  readonly compactions: number;
  readonly backgroundRuns: number;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly goal: { readonly objective: string; readonly state: string } | null;
  readonly stateVersion: number;
}

/** Reads the facts for a session's status card. `agent` is the session's agent. */
export async function statusFacts(context: {
  readonly store: Store;
  readonly settings: Settings;
  readonly session: Session;
  readonly agent: AgentSettings;
  readonly version: string;
  readonly now: number;
}): Promise<StatusFacts> {
  const { store, settings, session, agent } = context;
  const activity = await store.read(sessionActivity, { key: session.key, sessionId: session.sessionId });
  const chain = await store.read(newestChainFrom, session.key);
  const { ref, because } = sessionModelOf(settings, agent, session);
  const { contextTokens: contextWindow, price } = modelFacts(settings.models, ref);
  const channel = session.lastRoute?.channel ?? session.channel;
  const queue = queueWith(channelQueue(settings.messages.queue, channel), session.queue);
  const { lastUsage } = activity;
  // ST-31: each counter that is empty is read from the newest stored usage; imported and old sessions have only that.
  const input = session.inputTokens || (lastUsage?.input ?? 0);
  const output = session.outputTokens || (lastUsage?.output ?? 0);
  const cached = session.cachedTokens || (lastUsage?.cached ?? 0);
  const ofLastCall = lastUsage === null ? 0 : lastUsage.input + lastUsage.output;
  return {
    sessionKey: session.key,
    sessionId: session.sessionId,
    displayName: session.displayName,
    agent: { id: agent.id, name: agent.name },
    runtime: {
      name: "switchyard",
      version: context.version,
      state: activity.turnStartedAt !== null ? "running" : activity.waitingInputs > 0 ? "queued" : "idle",
      since: activity.turnStartedAt,
    },
    model: { ref: modelRefText(ref), why: because },
    thinking: {
      level: session.thinking ?? agent.thinking,
      why: session.thinking !== null ? "session" : agent.thinking !== null ? "agent" : "model",
    },
    showReasoning: session.showReasoning,
    tokens: { input, output, cached, context: session.contextTokens || ofLastCall, contextWindow },
    cost: price === null ? null : costOfTokens({ input, output, cached }, price),
    now: context.now,
    timeZone: agent.userTimezone,
    queue: { mode: queue.mode, cap: queue.cap, drop: queue.drop, waiting: activity.waitingInputs },
    children: activity.children,
    chain: chain === null || chain.turns === 0 ? null : chainFacts(chain, settings),
    compactions: activity.compactions,
    backgroundRuns: activity.backgroundRuns,
    archived: session.archivedAt !== null,
    pinned: session.pinned,
    goal: session.goal,
    stateVersion: session.stateVersion,
  };
}

/** The status card of a session as short Markdown for people (`/status`). Pure. */
export function statusCard(facts: StatusFacts): string {
  return cardOf(cardLines(facts));
}

/** The same for agents, without what `session_status` gives beside it (ST-30). */
export function agentStatusCard(facts: StatusFacts): string {
  const beside = new Set<string>([texts.labels.session, texts.labels.sessionId, texts.labels.stateVersion]);
  const name = [facts.displayName ?? "", flags(facts)].join("").replace(/^, /, "");
  return cardOf([[texts.labels.name, name], ...cardLines(facts).filter(([label]) => !beside.has(label))]);
}

type CardLine = readonly [label: string, value: string];

function cardOf(lines: readonly CardLine[]): string {
  return lines
    .filter(([, value]) => value !== "")
    .map(([label, value]) => `- **${label}:** ${value}`)
    .join("\n");
}

function cardLines(facts: StatusFacts): readonly CardLine[] {
  const { agent, runtime, tokens, queue } = facts;
  const name = facts.displayName === null ? "" : `${facts.displayName}, `;
  return [
    [texts.labels.session, `${name}\`${facts.sessionKey}\`${flags(facts)}`],
    [texts.labels.sessionId, `\`${facts.sessionId}\``],
    [texts.labels.agent, agent.name === agent.id ? agent.id : `${agent.name} (${agent.id})`],
    [texts.labels.runtime, `${runtime.name} ${runtime.version}, ${stateText(facts)}`],
    [texts.labels.model, texts.model(facts.model.ref, facts.model.why)],
    [texts.labels.thinking, texts.thinking({ ...facts.thinking, shown: facts.showReasoning })],
    [texts.labels.tokens, texts.tokens(count(tokens.input), count(tokens.output), count(tokens.cached))],
    [texts.labels.context, contextText(tokens)],
    [texts.labels.compactions, facts.compactions === 0 ? "" : String(facts.compactions)],
    [texts.labels.cost, facts.cost === null ? "" : facts.cost.toFixed(4)],
    [texts.labels.time, `${localTime(facts.now, facts.timeZone)} ${facts.timeZone}`],
    [texts.labels.queue, texts.queue(queue.mode, queue.waiting)],
    [texts.labels.subagents, texts.subagents(facts.children, facts.backgroundRuns)],
    [texts.labels.automaticTurns, facts.chain === null ? "" : sessionTexts.status.automaticTurns(facts.chain)],
    [texts.labels.goal, goalText(facts)],
    [texts.labels.stateVersion, String(facts.stateVersion)],
  ];
}

function flags({ archived, pinned }: StatusFacts): string {
  return [pinned ? texts.pinned : "", archived ? texts.archived : ""].join("");
}

function stateText({ runtime, now }: StatusFacts): string {
  if (runtime.since === null) return runtime.state;
  return texts.runningFor(runtime.state, Math.max(0, Math.round((now - runtime.since) / 1_000)));
}

function contextText({ context, contextWindow }: StatusFacts["tokens"]): string {
  const share = contextWindow === 0 ? 0 : Math.round((100 * context) / contextWindow);
  return texts.context(count(context), count(contextWindow), share);
}

function goalText({ goal }: StatusFacts): string {
  return goal === null ? "" : `${cutText(goal.objective.replace(/\s+/g, " "), 160).text} (${goal.state})`;
}

function chainFacts({ turns, modelCalls, stoppedBy }: ChainUse, { session }: Settings): StatusFacts["chain"] {
  const { maxTurns, maxModelCalls } = session.chains;
  return { turns, maxTurns, modelCalls, maxModelCalls, stoppedBy };
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function localTime(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(at);
}

/** A route as agents and people read it. */
export type RouteText = {
  readonly channel: string;
  readonly accountId?: string;
  readonly to?: string;
  readonly threadId?: string;
};

/** Where a session was made, where its open turn answers, and where later delivery goes (ST-32). null: not known, or none. */
export type RouteContext = {
  readonly origin: RouteText | null;
  readonly active: RouteText | null;
  readonly deliveryContext: RouteText | null;
};

/**
 * ST-32. `active`: the route of the turn in progress, for a live session only. A session without a stored origin names the
 * channel in its key and nothing more: ids are never parsed out of a key (SK-11).
 */
export function routeContext(
  session: Pick<Session, "key" | "originRoute" | "lastRoute">,
  active: Route | null,
): RouteContext {
  const { originRoute, lastRoute } = session;
  return {
    origin: originRoute === null ? inferredOrigin(session) : routeText(originRoute),
    active: active === null ? null : routeText(active),
    deliveryContext: lastRoute === null ? null : routeText(lastRoute),
  };
}

function routeText({ channel, accountId, to, threadId }: Route): RouteText {
  return threadId === null ? { channel, accountId, to } : { channel, accountId, to, threadId };
}

function inferredOrigin({ key }: Pick<Session, "key">): RouteText | null {
  const parts = parseSessionKey(key);
  const channel = parts !== null && "channel" in parts ? parts.channel : null;
  return channel === null ? null : { channel };
}
