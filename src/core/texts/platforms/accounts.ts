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

/* What is wrong with a platform's own keys. Each text follows the key: `channels.slack.botToken is missing, …`. */

export const keyTexts = {
  notWebAddress: "is not a web address",
  missingInMode: (mode: string) => `is missing, but mode is "${mode}"`,
  discordToken: "does not look like a bot token",
  slackBotToken: 'is not a bot token: it must begin with "xoxb-"',
  slackAppToken: 'is not an app-level token: it must begin with "xapp-"',
  signingSecret: "does not look like a signing secret",
  telegramToken: "does not look like a bot token, such as 123456789:AAF…, which @BotFather gives",
  webhookHttps: "must begin with https://, because Telegram calls only such addresses",
  secretToken: "must be 8 to 256 characters of A-Z a-z 0-9 _ -",
  webhookPath: 'must begin with "/telegram/"',
};

/* Why a message, a file or a thread did not reach a platform, and what people read instead. */

/** CM-3: shown in the conversation when a reply can no longer be shown to its asker alone. */
export const TOO_LATE = "It is too late to show this reply privately. The command ran. Run it again to see the result.";
/** Why the further parts of such a reply are not sent. */
export const TOO_LATE_PARTS = "the private reply came too late; one line in the channel replaces all of it";

export const fileTexts = {
  bytesGone: (name: string) => `the content of ${name} is no longer stored`,
  tooLarge: (bytes: number, limit: number) => `too large (${bytes} bytes, the limit is ${limit})`,
  empty: (name: string) => `${name} is empty, and Slack takes no empty files`,
  overSlackLimit: (name: string) => `${name} is larger than 1 GB, Slack's limit`,
  overTelegramLimit: (name: string) => `${name} is larger than 50 MB, Telegram's limit for bots`,
  noUploadAddress: "Slack returned no upload address",
  noDownload: (platform: string) => `${platform} offers no download for it`,
  folderUnreadable: "Switchyard cannot read the folder of the Bot API server",
  peopleOnly: "Slack shows it only to people: the app lacks files:read, or access to the file",
};

/** Why a file that a URL points to could not be fetched (IN-12). */
export const fetchTexts = {
  tooSlow: "the download took too long",
  unreachable: "its server cannot be reached",
  redirects: "it redirects too often",
  noWebAddress: "its address is not a web address",
  privateAddress: "its address is private",
  status: (code: number) => `its server answered with status ${code}`,
  tooLarge: "too large",
};

export const threadTexts = {
  channelUnknown: "the channel is unknown",
  none: "this kind of channel has no threads",
  noneInDirect: "direct messages have no threads",
  sharedInDirect: "threads in a direct message share its session",
  channelArchived: "the channel is archived",
  notInChannel: "the bot is not in this channel",
  permissions: (missing: readonly string[]) => `the bot lacks permissions here: ${missing.join(", ")}`,
  notWritable: (reason: string, removed: boolean) =>
    `the bot may not write in the thread it created (${reason}); ${removed ? "it was removed" : "the empty thread is still there"}`,
  cannotReopen: (reason: string) => `the thread is archived and cannot be reopened (${reason})`,
  topicsOff: "topics in private chats are off for this bot (@BotFather)",
  noTopics: "this chat has no topics",
  topicsDenied: "the bot cannot manage topics here",
  writingDenied: (mayManage: boolean) =>
    mayManage ? "the bot cannot send messages here" : "the bot can neither manage topics nor send messages here",
  topicClosed: (reason: string) => `the topic is closed to the bot (${reason})`,
  unanswered: (platform: string, reason: string) => `${platform} did not say whether threads can be created: ${reason}`,
};

export const slackTexts = {
  calledOffBefore: "canceled before it was sent",
  calledOffDuring: "canceled while it was being sent",
  noMessage: "Slack returned no message id",
};

/** Why a command is missing from a platform's menu. */
export const menuTexts = {
  discordName: (name: string) => `/${name}: Discord's command names contain only letters, digits, - and _`,
  telegramName: (name: string) => `/${name}: Telegram's command names contain only a-z, 0-9 and _`,
  taken: (name: string, platform: string, shown: string) =>
    `/${name}: on ${platform} its name would be /${shown}, which already exists`,
  tooMany: (name: string, platform: string, most: number) => `/${name}: ${platform} takes ${most} commands`,
  options: (name: string, options: readonly string[], most: number) =>
    `options of /${name}: ${options.join(", ")}; Discord takes ${most} options`,
};
