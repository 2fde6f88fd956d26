import type { ChannelDescriptor, LinkReader } from "../../src/channel/descriptor.ts";
import { telegramExamples } from "../../src/core/texts/platforms/examples.ts";
import { telegramOwnSchema, telegramOwnShape } from "./config.ts";

const HOSTS: ReadonlySet<string> = new Set(["t.me", "telegram.me", "telegram.dog"]);
/** Of a supergroup or channel without a public name; a topic may stand in between. */
const PRIVATE = /^\/c\/(\d+)\/(?:\d+\/)?(\d+)$/;
/** The public name; only the link of an earlier message tells which chat has it. */
const PUBLIC = /^\/([A-Za-z]\w{3,})\/(?:\d+\/)?(\d+)$/;

/** Links as "Copy Message Link" gives them. Private chats and basic groups have none: `telegram:<chat>/<message>` names theirs. */
const telegramLinks: LinkReader = {
  read({ hostname, pathname }) {
    if (!HOSTS.has(hostname)) return null;
    const [, internal, inPrivate] = PRIVATE.exec(pathname) ?? [];
    if (internal !== undefined && inPrivate !== undefined)
      return { to: `-100${internal}`, messageId: inPrivate, sentAt: null };
    const [, name, messageId] = PUBLIC.exec(pathname) ?? [];
    if (name === undefined || messageId === undefined) return null;
    return { to: null, messageId, sentAt: null, publicChat: `https://t.me/${name}/` };
  },
  example: telegramExamples.link,
  unseen: telegramExamples.unseen,
};

/** Users and chats are whole numbers, groups negative. `telegram:` or `tg:` in front is how other tools write them. */
function foldTelegramId(id: string): string | null {
  const bare = id.trim().replace(/^(telegram|tg):/i, "");
  return /^-?\d{1,20}$/.test(bare) ? bare : null;
}

/**
 * Users that Telegram names in place of the one who wrote: posts of a channel, anonymous administrators, people who write as a channel
 * (https://core.telegram.org/bots/api#message, `from`). Chats, which have negative ids, are written as by several people too.
 */
const SUBSTITUTES: readonly string[] = ["777000", "1087968824", "136817688"];

/** The reactions Telegram lets bots put on messages (ReactionTypeEmoji). */
const ALLOWED: readonly string[] = [
  "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌",
  "🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓",
  "🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡",
  "🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀",
  "😡",
].flatMap((row) => row.split(" "));

function foldReaction(text: string): string | null {
  const plain = text.replaceAll("\ufe0f", "");
  return ALLOWED.find((one) => one.replaceAll("\ufe0f", "") === plain) ?? null;
}

export const telegramDescriptor: ChannelDescriptor = {
  channel: "telegram",
  guarantee: async () => (await import("./guarantee.ts")).telegramGuarantee,
  links: telegramLinks,
  ownShape: telegramOwnShape,
  ownSchema: telegramOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "groups", nested: "topics", inServers: false, senders: "allowFrom", roles: false },
  replyToMode: "first",
  reactions: { read: foldReaction, example: telegramExamples.reaction },
  identityKey: "botToken",
  secretKeys: ["botToken", "webhook.secretToken"],
  foldId: foldTelegramId,
  standsForSeveral: (id) => id.startsWith("-") || SUBSTITUTES.includes(id),
  idExample: { sender: telegramExamples.sender, place: telegramExamples.place },
  create: async (account) => (await import("./index.ts")).create(account),
  doctor: async (account, signal) => (await import("./doctor.ts")).telegramDoctor(account, signal),
};
