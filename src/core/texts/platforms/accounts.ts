/* The state of an account as `/status`, `/healthz` and the log show it, and why an account cannot connect. */

/** Messages arrive, but cannot be stored. */
export const UNSTORED = "messages cannot be stored at the moment";
export const STOPPED_EARLY = "the account was stopped before it connected";

export const accountTexts = {
  notConnected: (platform: string) => `${platform} is not connected`,
  silent: (platform: string) => `${platform} does not answer`,
  lost: (platform: string) => `the connection to ${platform} was lost; reconnecting`,
  unreachable: (platform: string, reason: string) => `${platform} cannot be reached: ${reason}`,
  otherAccount: (own: string, wanted: string) => `the route is for ${wanted}, but this account is ${own}`,
};

export const discordAccountTexts = {
  tokenRefused: (token: string, apiUrl: string) =>
    `Discord refuses the bot token in ${token}. Set it to the token that the developer portal shows (https://discord.com/developers/applications, Bot, Reset Token). If ${apiUrl} is set, check it too`,
  intentOff: (token: string) =>
    `the Message Content intent is off for the bot of ${token}, so Discord refuses the connection. Turn it on in the developer portal (https://discord.com/developers/applications, Bot, Privileged Gateway Intents)`,
  sessionsUsedUp: (reason: string) => `Discord does not let the bot log in again yet: ${reason}`,
  loginsUsedUp: (remaining: number, total: number, at: string) =>
    `only ${remaining} of the bot's ${total} daily logins are left, and Discord resets the token at zero. The bot logs in again when Discord resets the count, at ${at} UTC`,
  closedForGood: (code: number) => `Discord closed the connection permanently (code ${code})`,
};

export const slackAccountTexts = {
  botTokenRefused: (path: string, reason: string) =>
    `Slack refuses ${path} (${reason}). Set it to the "Bot User OAuth Token" from the app's page "OAuth & Permissions"`,
  appTokenRefused: (path: string, reason: string) =>
    `Slack refuses ${path} (${reason}). Set it to an app-level token with connections:write from the app's page "Basic Information", and turn Socket Mode on`,
  tokenRevoked: "the bot token was revoked in Slack",
  appRemoved: "the app was removed from the workspace",
  noHello: (ms: number) => `no hello within ${ms} ms`,
  tooManySockets:
    "Slack allows no more connections for this app (too_many_websockets): other processes use the same app token",
  endedAtOnce: (reason: string | null) =>
    reason === null ? "Slack closed the connection immediately" : `Slack closed the connection immediately (${reason})`,
};

export const telegramAccountTexts = {
  tokenRefused: (token: string, apiRoot: string) =>
    `Telegram refuses the bot token in ${token}. Set it to the token that @BotFather shows for this bot. If ${apiRoot} is set, check it too`,
  refused: (reason: string, webhookUrl: string) => `Telegram refused to connect: ${reason}. Check ${webhookUrl}`,
  anotherPoller:
    "another poller uses this bot token: a second Switchyard, another program, or one that has just stopped",
  webhookRemoved: "a webhook was set for this bot; Switchyard removes it, because this account uses polling",
  webhookFailing: (reason: string) => `Telegram cannot deliver to the webhook: ${reason}`,
};
