/**
 * The rule by which an event or a delivery ended as it did: `why`, the log and the operator's pages show it (IN-17, DL-16).
 * Configuration keys are written as in the file.
 */
export const eventRules = {
  /** A message of the platform itself, with the platform's name for its kind. */
  service: (kind: string): string => `a service message (${kind})`,
  empty: "a message without content",
  notConfigured: (channel: string, accountId: string): string => `${channel}/${accountId} is no longer configured`,
  ownMessage: "the bot's own message",
  ownEdit: "the bot's own edit",
  editWithoutTarget: "the edit does not say which message it changes",
  deletionWithoutTarget: "the deletion does not say which message it removes",
  threadChangeUnknown: "the thread change does not say what changed",
  reaction: "reactions start nothing",
  merged: "a second arrival added missing facts",
  seenBefore: (result: string): string => `seen before: ${result}`,
  parked: "parked: a thread for a sub-agent is being created here",
  tooManyPairings: (rule: string, waiting: number): string => `${rule}; ${waiting} requests are already pending`,
  missed: (place: string, conversation: string): string =>
    `Messages in ${place} ${conversation} arrived too late: stored, not answered`,
  reached: (subject: string, rule: string): string => `${subject} reached ${rule}`,
  tooOld: "older than catchUp.maxAge when it arrived",
};

/** The limits on what one person starts in a minute (TN-19, FC-403). The store counts events by these words. */
export const limitRules = {
  messages: (limit: number): string => `${PER_SENDER}.perMinute is ${limit}`,
  commands: (limit: number): string => `${PER_SENDER}.commandsPerMinute is ${limit}`,
  countsAsMessage: (rule: string): string => `${rule}; ${COUNTS_AS_MESSAGE}`,
};
export const PER_SENDER = "limits.perSender";
export const COUNTS_AS_MESSAGE = "counts as a message";

/** Why a platform's event is ignored. */
export const ignoredEvent = {
  ownMessage: "the bot's own message",
  embedsOnly: "no person edited it",
  editedService: "an edited service message",
  emptyEdit: "the edit left no content",
  hiddenChannel: "the bot cannot see the channel",
  threadUnchanged: "the thread still accepts messages",
  reactionWithoutMessage: "the reaction has no message",
  ownReaction: "the bot's own reaction",
  ownMessageDeleted: "the bot's own message was deleted",
  unusedKind: "Switchyard does not use this kind of event",
  ownEdit: "the bot's own edit",
  linkPreview: "only a link preview changed",
  unknownDeletion: "the deletion does not describe the message",
  noSender: "it has no sender",
  buttonWithoutCommand: "the button has no command",
  reactionRemoved: "the reaction was removed",
};

/** A message that was accepted, and its sender may not write there any more when it is read (IN-18). */
export const refusedSince = (rule: string): string => `${rule}; this changed while the message waited`;

/** Who may talk to the bot, and where (IN-4 to IN-8). */
export const accessRules = {
  is: (path: string, value: string): string => `${path} is ${value}`,
  doesNotList: (path: string, id: string): string => `${path} does not list ${id}`,
  notPaired: (path: string, id: string): string => `${path}.dmPolicy is pairing and ${id} is not paired`,
  botWithoutMention: (path: string): string => `${path} is "mentions" and the message has no inline mention`,
  botTurns: (path: string, limit: number): string =>
    `${path}.maxBotTurns: ${limit} replies to this bot without a message from a person`,
  noAgent: (match: string): string => `no entry of bindings[] matches ${match}, and there is no default agent`,
  unknownAgent: (rule: string, agentId: string): string => `${rule} names agent "${agentId}", which is not configured`,
};

/** What addressed the bot, or why nothing did (IN-7). */
export const mentionRules = {
  direct: "direct message",
  nativeCommand: "native command",
  mention: "mention",
  replyToBot: "reply to the bot",
  namePattern: "name pattern",
  album: "album",
  noneNeeded: "no mention needed",
  bound: "linked conversation",
  command: "command",
  participated: "thread with the bot",
  commandIsFor: (account: string): string => `the command is for ${account}`,
  otherBot: "a bot's message has no inline mention",
  somebodyElse: "addressed to someone else",
  nothing: (path: string): string => `${path} and nothing addresses the bot`,
  activation: "/activation is mention here",
};

/** Why a delivery ended as it did, or waits. */
export const deliveryRules = {
  cutOff: "the process ended while it was being sent",
  noAccount: (channel: string, accountId: string): string => `no account "${accountId}" of ${channel} is configured`,
  nothingShown: "nothing was shown",
  neverEnded: "the send did not end",
  takenBack: "withdrawn",
  threadWithoutPlace: "the platform did not say where the thread is",
  givenUp: (attempts: number, reason: string): string => `gave up after ${attempts} tries in one day: ${reason}`,
  starting: "the account is starting",
  noThreads: (channel: string): string => `${channel} does not support threads`,
};
