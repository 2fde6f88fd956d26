import type { ModelRef } from "../core/model.ts";
import { modelFacts } from "../core/model-facts.ts";
import { reachedLimit } from "../core/session/spending.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import { spentSince } from "../store/reads/turns/spending.ts";
import type { TurnDeps } from "./turn-deps.ts";

/** TN-19: the agent's day is spent; the turn ends, and people are told once. */
export class DailyLimitReached extends Error {
  override readonly name = "DailyLimitReached";
}

/** Asked before every model call, so that one long turn does not pass the limit by far. Rejects with `DailyLimitReached`. */
export async function withinDailyLimit(
  { settings, agent }: { readonly settings: Settings; readonly agent: AgentSettings },
  { store, clock, localTime }: Pick<TurnDeps, "store" | "clock" | "localTime">,
): Promise<void> {
  const { daily } = settings.limits;
  if (daily.tokens === 0 && daily.cost === 0) return;
  const since = localTime.lastHour(clock.now(), agent.userTimezone, 0);
  const spent = await store.read(spentSince, { agentId: agent.id, since });
  const reached = reachedLimit(daily, spent, (model) => modelFacts(settings.models, refOf(model)).price);
  if (reached !== null) throw new DailyLimitReached(reached);
}

function refOf(model: string): ModelRef {
  const cut = model.indexOf("/");
  return { provider: model.slice(0, cut), model: model.slice(cut + 1) };
}
