/** What the commands about people and access say. `person`: as it is shown, with its marks. */
export const peopleTexts = {
  itself: "This is you. Another owner can remove you from the list.",
  action: "what to do",
  notPrivate: "Other people can read this. Use a direct message.",

  whoami: {
    summary: "Show your ids, this session's key and your rights",
    rights: {
      user: "you can use the commands for everyone",
      admin: "you can also use the commands for admins",
      owner: "you can use every command",
    },
    you: "You",
    rightsLabel: "Rights",
    conversation: "Conversation",
    session: "Session",
    thread: (id: string): string => `, thread \`${id}\``,
  },

  activation: {
    summary: "Reply here only when mentioned, or always",
    mode: "default uses the configuration",
    direct: "In a direct message I always reply.",
    nothingSet: "Nothing is set here; requireMention in the configuration applies.",
    is: (mode: "mention" | "always", where: "here" | "thread" | "around"): string =>
      `${ACTIVATION[mode]} (${ACTIVATION_PLACE[where]}).`,
  },

  pairing: {
    summary: "List, approve or deny requests for access",
    code: "the code they received, alone or after its channel",
    more: "the code, if the channel came first; owner also makes them an owner",
    none: "No pending requests or paired users",
    noPending: "No pending requests.",
    pending: "**Pending**",
    paired: "**Paired**",
    request: (code: string, name: string, person: string, account: string, minutes: number): string =>
      `- \`${code}\` ${name} (\`${person}\`) on ${account}, expires in ${minutes} min`,
    pairedUser: (person: string, account: string, isOwner: boolean): string =>
      `- \`${person}\` on ${account}${isOwner ? ", owner" : ""}`,
    denied: (name: string): string => `${name} was denied. They can ask again.`,
    approved: (name: string, account: string, isOwner: boolean): string =>
      isOwner
        ? `${name} can now send direct messages to ${account} and is an owner.`
        : `${name} can now send direct messages to ${account}.`,
    noOwner: (person: string): string =>
      `There is no owner yet. Add \`${person}\` to commands.ownerAllowFrom to make them one.`,
    unknownCode: (action: string, codes: readonly string[] | null): string =>
      [
        "No pending request has that code.",
        codes === null
          ? "Use a direct message to list them."
          : codes.length === 0
            ? "No pending requests."
            : `Pending: ${codes.map((code) => `\`${code}\``).join(", ")}.`,
        `Usage: /pairing ${action} <code>`,
      ].join(" "),
  },

  allowlist: {
    summary: "Show or change who can message me directly, or in this group",
    who: "an id as /whoami shows it, such as telegram:111222333",
    account: "the account, by default this conversation's; `here` is this group or channel",
    whoMissing: (action: string): string => `Missing: who. Usage: /allowlist ${action} <who> [account|here]`,
    noAccount: (account: string, known: string): string => `There is no account ${account}. Accounts: ${known}.`,
    operatorChannel: (channel: string): string =>
      `${channel} has no list of people. Anyone who can open it has full operator rights.`,
    badId: (id: string, channel: string, example: string): string =>
      `"${id}" is not a valid user id on ${channel}. A valid id looks like ${example}.`,
    noGroup: "This is not a group or channel. Use the command there, or leave out `here`.",
    otherChannel: (person: string, channel: string): string => `${person} is not a user of ${channel}.`,
    removedHere: (person: string): string => `${person} was removed from this group's list.`,
    notHere: (person: string): string => `${person} is not on this group's list.`,
    alreadyHere: (person: string): string => `${person} is already on this group's list.`,
    addedHere: (person: string): string =>
      `${person} can now message me here, even where the configuration lists who can.`,
    configured: (id: string): string => `- \`${id}\`, in the configuration`,
    added: (id: string): string => `- \`${id}\`, added to the list`,
    pairedUser: (id: string): string => `- \`${id}\`, paired`,
    owner: ", owner",
    noEffect: (policy: string): string => `, no effect while dmPolicy is ${policy}`,
    addedToGroup: (id: string, group: string): string => `- \`${id}\`, added to the list of group \`${group}\``,
    title: (account: string, policy: string): string => `**${account}** (dmPolicy ${policy})`,
    nobody: "- no one",
    noLists: "No account here has a list of people.",
    already: (person: string, account: string): string => `${person} is already on the list of ${account}.`,
    allowed: (person: string, account: string): string => `${person} can now send direct messages to ${account}.`,
    allowedLater: (person: string, account: string, policy: string): string =>
      `${person} was added to the list of ${account}. This has no effect while dmPolicy is ${policy}.`,
    removed: (person: string, account: string): string => `${person} was removed from the list of ${account}.`,
    removedButConfigured: (person: string, account: string): string =>
      `${person} was removed from the list of ${account}. They still have access, because allowFrom in the configuration lists them.`,
    onlyConfigured: (person: string, account: string): string =>
      `${person} is listed in allowFrom in the configuration of ${account}. Remove them there.`,
    notListed: (person: string, account: string): string => `${person} is not on the list of ${account}.`,
  },
};

const ACTIVATION = {
  mention: "I reply when I am mentioned",
  always: "I reply to every message that is not for someone else",
} as const;
const ACTIVATION_PLACE = {
  here: "set here",
  thread: "set for this thread",
  around: "set for the group or channel",
} as const;
