/** What the commands for the operator say. */
export const operatorTexts = {
  config: {
    summary: "Show or change the configuration file",
    action: "what to do",
    path: "such as agents.defaults.model",
    value: "JSON5, or a single word",
    disabled:
      "Changing the configuration by command is disabled. Set `commands: { config: true }` in the configuration file to enable it.",
    noFile: "There is no configuration file. Using the built-in defaults.",
    notPrivate: "Other people can read this. Use a direct message.",
    usage: (form: string): string => `Usage: /config ${form}`,
    notSet: (path: string): string => `\`${path}\` is not set; its default applies.`,
    unchanged: "Nothing was changed.",
    written: (path: string): string => `\`${path}\` is saved and applied.`,
    removed: (path: string): string => `\`${path}\` is removed; its default applies now.`,
    writtenForRestart: (path: string, keys: string): string =>
      `\`${path}\` is saved. Changes in ${keys} need a restart: use /restart.`,
    removedForRestart: (path: string, keys: string): string =>
      `\`${path}\` is removed. Changes in ${keys} need a restart: use /restart.`,
  },

  restart: {
    summary: "Restart gracefully",
    done: (version: string): string =>
      `Restarted: Switchyard ${version} reloaded its configuration and is reconnecting every account. The process is the same; to run another version, restart the process itself.`,
    refused: (problems: readonly string[]): string =>
      ["Not restarted: the configuration has problems.", ...problems.map((problem) => `- ${problem}`)].join("\n"),
  },

  sessions: {
    summary: "List sessions, newest first",
    search: "part of a key, label or name",
    none: "There are no sessions yet.",
    noMatch: (search: string): string => `No session matches "${search}".`,
    pinned: ", pinned",
    archived: ", archived",
    here: ", here",
    line: (name: string | null, key: string, status: string, flags: string, age: string): string =>
      `- ${name === null ? "" : `**${name}** `}\`${key}\`: ${status}${flags}, ${age} ago`,
    more: (shown: number): string => `These are the newest ${shown}. Use \`/sessions <search>\` to find others.`,
    onlyHere: "Other people can read this, so only this session and the ones it started are listed.",
  },

  why: {
    summary: "Show what happened to a message, and why",
    message: "its link or id; by default the message you reply to",
    usage:
      "Send /why as a reply to a message, or add the message's link as the platform copies it, its id, or its event id from the log.",
    usageHere: (example: string): string => `On this platform a link looks like this: ${example}`,
    elsewhere: "This message belongs to another conversation. Ask me in a direct message.",
    unknown: "There is no record of this message.",
    notStarted: "not started",
    several: "Several messages have this id:",
    received: (reference: string, time: string): string => `- \`/why ${reference}\`, received ${time} UTC`,
    sent: (reference: string, time: string): string => `- \`/why ${reference}\`, sent ${time} UTC`,
  },
};
