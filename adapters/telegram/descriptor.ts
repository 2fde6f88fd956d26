import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { telegramOwnSchema, telegramOwnShape } from "./config.ts";
import { telegramGuarantee } from "./guarantee.ts";
import { telegramLinks } from "./links.ts";
import { readReaction } from "./outbound/reactions.ts";

/** Users and chats are whole numbers, groups negative. `telegram:` or `tg:` in front is how other tools write them. */
function foldTelegramId(id: string): string | null {
  const bare = id.trim().replace(/^(telegram|tg):/i, "");
  return /^-?\d{1,20}$/.test(bare) ? bare : null;
}

export const telegramDescriptor: ChannelDescriptor = {
  channel: "telegram",
  guarantee: telegramGuarantee,
  links: telegramLinks,
  ownShape: telegramOwnShape,
  ownSchema: telegramOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "groups", nested: "topics", senders: "allowFrom", roles: false },
  replyToMode: "first",
  reactions: { read: readReaction, example: '"👀" or "👍"; Telegram allows bots a fixed set' },
  identityKey: "botToken",
  secretKeys: ["botToken", "webhook.secretToken"],
  foldId: foldTelegramId,
  idExample: { sender: "111222333 (a number; /whoami shows it)", place: "-1001234567890 (a number; topics: 7)" },
  create: async (account, http) => (await import("./index.ts")).create(account, http),
  doctor: async (account, signal) => (await import("./doctor.ts")).telegramDoctor(account, signal),
};
