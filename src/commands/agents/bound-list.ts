import { sameRoute } from "../../core/delivery/delivery.ts";
import { type Binding, bindingExpiry } from "../../core/session/run.ts";
import { nameInChat } from "../../core/text/visible.ts";
import { agentTexts } from "../../core/texts/commands/agents.ts";
import { roughDuration } from "../../core/time.ts";
import { bindingsOfTree } from "../../store/reads/runs/bindings.ts";
import type { CommandContext } from "../command.ts";

const texts = agentTexts.agents;

/** The conversations bound to this session and to what it started, as lines; empty: none. */
export async function boundList({ services, sessionKey, route }: CommandContext): Promise<readonly string[]> {
  const bindings = await services.store.read(bindingsOfTree, sessionKey);
  if (bindings.length === 0) return [];
  const now = services.clock.now();
  const lines = bindings.map((binding) => {
    const here = sameRoute(binding.route, route) && binding.state !== "pending" ? texts.here : "";
    return `- **${nameInChat(binding.label ?? binding.sessionKey)}**: ${stateText(binding, now)}${here}`;
  });
  return ["", texts.linked, ...lines];
}

function stateText(binding: Binding, now: number): string {
  switch (binding.state) {
    case "pending":
      return texts.pending;
    case "paused":
      return texts.paused(binding.reason ?? "closed");
    case "active":
    case "ended": {
      const expiry = bindingExpiry(binding);
      return expiry === null ? texts.permanent : texts.expires(roughDuration(Math.max(0, expiry.at - now)));
    }
  }
}
