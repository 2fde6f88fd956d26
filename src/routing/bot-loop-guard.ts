import type { AccountSettings } from "../core/settings.ts";
import { accountPath } from "./places.ts";

/**
 * IN-4, FC-082: how far two bots may talk without a person. `turnsSinceHuman` counts, from stored rows, this bot's
 * messages in this conversation that were answered since a person last wrote there; null: it may go on.
 */
export function botLoopRule(account: AccountSettings, turnsSinceHuman: number): string | null {
  if (turnsSinceHuman < account.maxBotTurns) return null;
  return `${accountPath(account)}.maxBotTurns: ${account.maxBotTurns} answers to this bot without a person`;
}
