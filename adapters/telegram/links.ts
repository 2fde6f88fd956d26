import type { LinkReader } from "../../src/channel/pointers.ts";

const HOSTS: ReadonlySet<string> = new Set(["t.me", "telegram.me", "telegram.dog"]);
/** Of a supergroup or channel without a public name; a topic may stand in between. */
const PRIVATE = /^\/c\/(\d+)\/(?:\d+\/)?(\d+)$/;
/** The public name; which chat has it only an earlier message tells. */
const PUBLIC = /^\/[A-Za-z]\w{3,}\/(?:\d+\/)?(\d+)$/;

/** Links as "Copy Message Link" gives them. Private chats and basic groups have none: `telegram:<chat>/<message>` names theirs. */
export const telegramLinks: LinkReader = {
  read({ hostname, pathname }) {
    if (!HOSTS.has(hostname)) return null;
    const [, internal, inPrivate] = PRIVATE.exec(pathname) ?? [];
    if (internal !== undefined && inPrivate !== undefined)
      return { to: `-100${internal}`, messageId: inPrivate, sentAt: null };
    const [, messageId] = PUBLIC.exec(pathname) ?? [];
    return messageId === undefined ? null : { to: null, messageId, sentAt: null };
  },
  example: "https://t.me/c/<chat>/<message>, https://t.me/<name>/<message>, or telegram:<chat>/<message>",
  unseen: [
    "privacy mode: in groups a bot sees only commands, mentions and replies to it, unless it is an admin or @BotFather's /setprivacy is off",
    "Telegram shows a bot no message of another bot",
    "it is older than Telegram keeps updates for (24 h), or another program takes this bot's updates",
  ],
};
