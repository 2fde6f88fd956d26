import type { Suggestion, SuggestionKind } from "../channel/capabilities.ts";
import type { CommandDefinition } from "../commands/command.ts";
import { suggestionsFor } from "../commands/suggestions.ts";
import type { InboundEvent } from "../core/message/inbound-event.ts";
import { roleAtLeast } from "../core/session/rights.ts";
import type { AccountSettings } from "../core/settings.ts";
import { createCommandGate } from "../routing/commands-gate.ts";
import { routingIndex } from "../routing/routing-index.ts";
import { arrive } from "./accept/accept.ts";
import { decideArrival } from "./accept/accept-message.ts";
import type { AcceptDeps } from "./accept/arrival.ts";

export interface Asking {
  /** The command as it would be called with what is written so far; nothing of it is stored. */
  readonly event: InboundEvent;
  readonly kind: SuggestionKind;
  readonly typed: string;
}

/**
 * Proposals for an argument while somebody writes it (CM-12). Whether they may use the command at all is decided exactly as for
 * the call itself (IN-15); who may not is proposed nothing.
 */
export function createSuggest(
  deps: AcceptDeps & { readonly commands: readonly CommandDefinition[] },
): (asking: Asking, account: AccountSettings) => Promise<readonly Suggestion[]> {
  const gate = createCommandGate(deps.commandNames);
  return async ({ event, kind, typed }, account) => {
    const settings = deps.settings();
    const index = routingIndex(settings);
    const decision = decideArrival(await arrive(event, { deps, account, index, commands: gate, heldAt: null }));
    if (decision.decision !== "command" || decision.denied !== null) return [];
    const { rights, place } = decision.start;
    const command = deps.commands.find(({ name }) => name === decision.command.name);
    if (command === undefined || !roleAtLeast(rights.role, command.role)) return [];
    return suggestionsFor(kind, typed, { ...deps, settings, sessionKey: place.key, rights, route: event.route });
  };
}
