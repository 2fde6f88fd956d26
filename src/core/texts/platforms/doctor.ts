/* What `switchyard doctor` says about an account on a platform. A finding is what was found and, when needed, how to fix it. */

export interface FindingText {
  readonly message: string;
  /** null: there is nothing to fix. */
  readonly fix: string | null;
}

const fine = (message: string): FindingText => ({ message, fix: null });

export const doctorTexts = {
  unreachable: (url: string, reason: string, key: string): FindingText => ({
    message: `${url} does not answer (${reason})`,
    fix: `Check the network, the proxy, and ${key}.`,
  }),
  tokenOf: (bot: string): FindingText => fine(`the token belongs to ${bot}`),
  clockAhead: (seconds: number, platform: string): FindingText => ({
    message: `this machine's clock is ${seconds} s ahead of ${platform}'s`,
    fix: "Synchronize the system clock, for example with NTP.",
  }),
  clockBehind: (seconds: number, platform: string): FindingText => ({
    message: `this machine's clock is ${seconds} s behind ${platform}'s`,
    fix: "Synchronize the system clock, for example with NTP.",
  }),
};

export const discordDoctorTexts = {
  tokenRefused: {
    message: "Discord does not accept this bot token",
    fix: "Reset the token in the developer portal (https://discord.com/developers/applications, Bot) and set it as token.",
  },
  unexpected: (status: number): FindingText => ({
    message: `Discord answered with status ${status}`,
    fix: "Try again later, and check apiUrl.",
  }),
  intentOn: fine("the Message Content intent is on"),
  intentOff: {
    message: "the Message Content intent is off, so Discord refuses the connection",
    fix: "Turn it on in the developer portal (https://discord.com/developers/applications, Bot, Privileged Gateway Intents).",
  },
  notInGuild: (id: string): FindingText => ({
    message: `guilds.${id} is configured, but the bot is not in that server`,
    fix: "Invite the bot, or remove the entry.",
  }),
};

export const slackDoctorTexts = {
  botTokenRefused: (reason: string): FindingText => ({
    message: `Slack refuses the bot token (${reason})`,
    fix: 'Copy the "Bot User OAuth Token" from the app\'s page "OAuth & Permissions" into botToken.',
  }),
  optionalScopeMissing: (scope: string, effect: string): FindingText => ({
    message: `the scope ${scope} is missing: ${effect}`,
    fix: ADD_SCOPES,
  }),
  scopesMissing: (scopes: readonly string[]): FindingText => ({
    message: `required scopes are missing: ${scopes.join(", ")}`,
    fix: ADD_SCOPES,
  }),
  /** What does not work without a scope. */
  effects: {
    "assistant:write": "threads show no status while a reply is being written",
    "reactions:read": "people's reactions are not received",
    "files:read": "files that people send cannot be read",
    "files:write": "files cannot be sent",
    "users:read": "people are known only by their ids",
  },
  usesHttp: fine(
    'mode is http: Slack needs the public address that reaches /slack/events, on the app\'s pages "Event Subscriptions" and "Slash Commands"',
  ),
  socketWorks: fine("Socket Mode works"),
  socketFails: (reason: string | null): FindingText => ({
    message: `Socket Mode does not work (${reason ?? "no answer"})`,
    fix: 'Turn Socket Mode on, and set appToken to an app-level token with connections:write ("Basic Information").',
  }),
};

const ADD_SCOPES =
  'Add them on the app\'s page "OAuth & Permissions", or paste the whole manifest. Then install the app again.';

export const telegramDoctorTexts = {
  tokenRefused: {
    message: "Telegram does not accept this bot token",
    fix: "Copy the token again from @BotFather (/mybots, API Token) into botToken.",
  },
  refused: (reason: string): FindingText => ({
    message: `Telegram refuses getMe: ${reason}`,
    fix: "Check botToken and apiRoot.",
  }),
  privacyOn: (groups: readonly string[]): FindingText => ({
    message: `privacy mode is on, so the bot sees only messages that address it, but requireMention is false for ${groups.join(", ")}`,
    fix: "Turn privacy mode off with @BotFather (/setprivacy, Disable), then remove the bot from the group and add it again. Or make it an administrator there.",
  }),
  groupsOff: {
    message: "groups are configured, but the bot cannot be added to groups",
    fix: "Allow it with @BotFather (/setjoingroups, Enable).",
  },
  polls: fine("mode is polling, and no webhook is set"),
  webhookWhilePolling: (url: string): FindingText => ({
    message: `mode is polling, but a webhook is set (${url}), so polling receives nothing`,
    fix: 'Switchyard removes it at start. Stop the program that sets it, or set mode: "webhook".',
  }),
  webhookUnset: {
    message: "mode is webhook, but no webhook is set yet",
    fix: "Start Switchyard, which sets it.",
  },
  webhookElsewhere: (url: string, wanted: string): FindingText => ({
    message: `the webhook is set to ${url}, not to ${wanted}`,
    fix: "Stop the program that sets it, then start Switchyard, which sets it again.",
  }),
  webhookUnreachable: (reason: string): FindingText => ({
    message: `Telegram could not reach the webhook: ${reason}`,
    fix: "Check that webhook.url reaches this machine with a valid certificate.",
  }),
  webhookSet: (url: string): FindingText => fine(`the webhook is set to ${url}`),
};
