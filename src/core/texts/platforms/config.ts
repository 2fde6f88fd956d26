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
