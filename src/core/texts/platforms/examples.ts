/* What configuration errors and `/why` say about a platform: how its ids and links look, and why a message may never arrive. */

const AWAY = "it was written while the account was offline, in a conversation that had no session yet (IN-14)";

export const discordExamples = {
  sender: "222333444555666777 (a number; /whoami shows it)",
  place: "333444555666777888 (a number; developer mode, Copy Server ID or Copy Channel ID)",
  reaction: '"👀", or "name:id" for a server\'s own emoji',
  unseen: [
    "the bot cannot see the channel: it needs View Channel there, and must be added to a private thread",
    "Message Content Intent is off in the developer portal, so text without a mention arrives empty",
    AWAY,
  ],
};

export const slackExamples = {
  sender: 'U0123ABCD ("Copy member ID" in a profile; /whoami shows it)',
  place: "C0123ABCD (at the bottom of a channel's details)",
  unseen: [
    "the app is not in the channel: /invite it",
    "the app's event subscriptions or scopes do not cover this kind of conversation (`switchyard slack manifest` prints what is needed)",
    AWAY,
  ],
};

export const telegramExamples = {
  sender: "111222333 (a number; /whoami shows it)",
  place: "-1001234567890 (a number; topics: 7)",
  reaction: '"👀" or "👍"; Telegram allows bots a fixed set',
  link: "https://t.me/c/<chat>/<message>, https://t.me/<name>/<message>, or telegram:<chat>/<message>",
  unseen: [
    "privacy mode: in groups a bot sees only commands, mentions and replies to it, unless it is an administrator or @BotFather's /setprivacy is off",
    "Telegram does not show a bot the messages of other bots",
    "it is older than 24 hours, which is how long Telegram keeps updates, or another program takes this bot's updates",
  ],
};

export const webExamples = {
  link: "<the page's address>/web/c/<conversation>#<message>, the link behind a message's time",
  unseen: ["the page was not connected; unsent messages are shown next to the text field"],
};

/** The app manifest that `switchyard slack manifest` prints. */
export const manifestTexts = {
  description: "Talk to your agents",
  command: (commands: readonly string[]) => `One command for everything: ${commands.join(", ")}`,
  usage: "status | help | stop | …",
};

/** What the pane of a new assistant thread in Slack offers to start with (CH-2). */
export const slackPrompts = [
  { title: "What can you do?", message: "What can you do for me here?" },
  { title: "What's the status?", message: "!status" },
  { title: "List commands", message: "!help" },
] as const;

export const pickerTexts = {
  thread: "Choose a thread",
  command: "Choose a command",
  question: (place: string) => `What do you want to do in ${place}? \`/switchyard help\` lists all commands.`,
  argument: (command: string, place: string, description: string) => `\`/${command}\` in ${place}: ${description}`,
  without: (command: string) => `Only /${command}`,
  chosen: (command: string, place: string) => `\`/${command}\` in ${place}`,
  thisThread: "this thread",
  thisConversation: "this conversation",
  thisChannel: "this channel",
};
