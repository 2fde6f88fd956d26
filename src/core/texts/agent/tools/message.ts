export const messageTexts = {
  description:
    "Sends a message to a conversation you choose: text, files this session was given, or both. It works only for conversations where people wrote to you lately, or that the configuration lists. Do not use it to answer: your final text goes where you were asked. `queued` means that the message is on its way.",
  channel: "discord, slack, telegram, web; default: where this turn was started.",
  accountId: "The bot account; default: this turn's on its own channel, else `default`.",
  to: "The conversation's id on the platform: a chat, channel or person.",
  threadId: "A thread or topic in it.",
  text: "Markdown.",
  files: "Names of files this session was given.",
  nothing: "give text, files or both",
  silent: "nothing in this text is for people to read",
  noChannel: "this turn has no channel",
  noChannelHint: "give the channel",
  noConversation: (to: string, channel: string, account: string): string =>
    `there is no conversation "${to}" on ${channel} (account ${account}) that you may write to`,
  noConversationHint: "somebody must have written to you there lately, or the configuration must list it",
  noFile: (name: string): string => `this session has no file "${name}"`,
  noFiles: "it was given none lately",
  known: (names: readonly string[]): string => `it has: ${names.join(", ")}`,
};
