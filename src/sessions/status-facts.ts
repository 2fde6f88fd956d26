import { channelQueue, type QueueDrop, type QueueMode, queueWith } from "../core/message/queue.ts";
import { modelRefText } from "../core/model.ts";
import { modelFacts } from "../core/model-facts.ts";
import { goalView } from "../core/session/goal.ts";
import type { Session, ThinkingLevel } from "../core/session/session.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { sessionActivity } from "../store/reads/sessions/session-activity.ts";
import type { Store } from "../store/store.ts";
import { type ModelReason, sessionModelOf } from "./session-model.ts";

/** Everything the status card says (ST-30). Times are milliseconds since the epoch, counts of tokens are tokens. */
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
    /** Of the last model call, and what the model's window holds. */
    readonly context: number;
    readonly contextWindow: number;
  };
  /** In the currency of the configured prices; null: the model has none. */
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
  readonly compactions: number;
  readonly backgroundRuns: number;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly goal: ReturnType<typeof goalView>;
  readonly stateVersion: number;
}

/** Reads what a session's status card says. `agent`: the session's own. */
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
    cost: price === null ? null : (input * price.input + output * price.output) / 1_000_000,
    now: context.now,
    timeZone: agent.userTimezone,
    queue: { mode: queue.mode, cap: queue.cap, drop: queue.drop, waiting: activity.waitingInputs },
    children: activity.children,
    compactions: activity.compactions,
    backgroundRuns: activity.backgroundRuns,
    archived: session.archivedAt !== null,
    pinned: session.pinned,
    goal: goalView(session.goal),
    stateVersion: session.stateVersion,
  };
}
