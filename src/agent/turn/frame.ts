import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { ModelRef, ModelRequest } from "../../core/model.ts";
import { modelRefText } from "../../core/models.ts";
import type { Clock } from "../../core/runtime.ts";
import { type Session, THINKING_LEVELS, type ThinkingLevel } from "../../core/session/session.ts";
import type { Turn } from "../../core/session/turn.ts";
import type { AgentSettings, Settings } from "../../core/settings.ts";
import type { LocalTime } from "../../core/time.ts";
import { placePrompt } from "../../routing/places.ts";
import { textTokens, toModelMessages } from "../../sessions/context-window.ts";
import type { ReadAttachment } from "../../sessions/file-content.ts";
import { sessionModel } from "../../sessions/session-model.ts";
import { runsOf } from "../../store/reads/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import type { EffectiveToolsOf } from "../../tools/policy.ts";
import { promptText, systemPrompt } from "../prompt.ts";
import type { AgentRunner } from "../runner.ts";
import type { TurnContext } from "./context.ts";
import type { TurnFrame } from "./ports.ts";

/** CP-9: how long an ended child is still mentioned. */
const RECENT_MS = 30 * 60_000;

interface FrameFacts {
  readonly settings: Settings;
  readonly agent: AgentSettings;
  readonly session: Session;
  readonly turn: Turn;
  readonly items: readonly InboxItem[];
}

export function buildFrame(facts: FrameFacts, effectiveTools: EffectiveToolsOf): TurnFrame {
  const { settings, agent, session, turn } = facts;
  const model = sessionModel(settings, agent, session);
  const tools = effectiveTools({ settings, agent, session, rights: turn.source.rights, model });
  const models = [model, ...agent.fallbacks.filter((ref) => modelRefText(ref) !== modelRefText(model))];
  return { settings, agent, session, turn, models, thinking: thinkingOf(facts), tools };
}

/** A directive holds for its message only (CM-7); then the session's setting, then the agent's. */
function thinkingOf({ agent, session, items }: FrameFacts): ThinkingLevel | null {
  const directed = items.findLast((item) => item.payload.kind === "event" && item.payload.directives.thinking !== null);
  const wanted = directed?.payload.kind === "event" ? directed.payload.directives.thinking : null;
  const level = THINKING_LEVELS.find((known) => known === wanted);
  return level ?? session.thinking ?? agent.thinking;
}

/** The request of the turn's next step: the prompt, and as much of the transcript as the model's window takes. */
export async function buildRequest(
  frame: TurnFrame,
  call: { readonly model: ModelRef; readonly shrink: number; readonly context: TurnContext },
  deps: {
    readonly store: Store;
    readonly runner: AgentRunner;
    readonly clock: Clock;
    readonly readAttachment: ReadAttachment;
    readonly localTime: LocalTime;
  },
): Promise<ModelRequest> {
  const { session, agent, turn, settings } = frame;
  const now = deps.clock.now();
  const runs = await deps.store.read(runsOf, { sessionKey: session.key, endedSince: now - RECENT_MS });
  const parts = systemPrompt({
    agent,
    session,
    source: turn.source,
    toolNames: frame.tools.tools.map((tool) => tool.name),
    timeText: (at) => deps.localTime.minute(at, agent.userTimezone),
    today: deps.localTime.day(now, agent.userTimezone),
    placePrompt: placePrompt(settings, turn.source.rights.group),
    activeRuns: runs.filter((run) => run.state !== "ended"),
    recentRuns: runs.filter((run) => run.state === "ended"),
  });
  const system = promptText(parts);
  const tools = frame.tools.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters(),
  }));
  const facts = deps.runner.facts(call.model);
  const overhead = textTokens(system) + textTokens(JSON.stringify(tools));
  const messages = await call.context.messages(facts, { shrink: call.shrink, overhead });
  return {
    model: call.model,
    system,
    // As many bytes as the window has tokens: a quarter of it, so that a file leaves room for the question in a small one.
    messages: await toModelMessages(messages, {
      images: facts.images,
      fileBytes: facts.contextTokens,
      read: deps.readAttachment,
    }),
    tools,
    thinking: frame.thinking,
  };
}
