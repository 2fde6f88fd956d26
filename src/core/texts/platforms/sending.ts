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
  cannotReopen: (reason: string) => `the thread is archived and cannot be reopened (${reason})`,
  topicsOff: "topics in private chats are off for this bot (@BotFather)",
  noTopics: "this chat has no topics",
  topicsDenied: "the bot cannot manage topics here",
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
