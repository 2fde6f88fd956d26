import type { REST } from "discord.js";
import { type APIApplication, ApplicationFlags, Routes } from "discord-api-types/v10";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { intentRefused } from "../errors.ts";

const SWITCHED_ON = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/**
 * Asks whether the switch of the portal that was found off is on by now. Every login counts towards the 1,000 a day after which
 * Discord resets the token, so an account that waits for its operator does not try by logging in. Rejects with a ChannelError
 * while it is off (CH-1, CH-6).
 */
export async function askForIntent(rest: REST, account: AccountSettings, signal: AbortSignal): Promise<void> {
  const application = (await rest.get(Routes.currentApplication(), { signal })) as APIApplication;
  if (((application.flags ?? 0) & SWITCHED_ON) === 0) throw intentRefused(account);
}
