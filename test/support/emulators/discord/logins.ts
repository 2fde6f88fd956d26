import type { BotRecord } from "./records.ts";

/** Get Gateway Bot: how often a bot may identify in a day. */
export const SESSION_STARTS = 1000;
const DAY_MS = 86_400_000;

/** A bot's logins, counted anew when their time is over. */
export function loginsOf(bot: BotRecord, now: number): BotRecord["logins"] {
  if (now >= bot.logins.resetsAt) bot.logins = { left: SESSION_STARTS, resetsAt: now + DAY_MS };
  return bot.logins;
}
