import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { discordOwnSchema, discordOwnShape } from "./config.ts";
import { discordGuarantee } from "./guarantee.ts";
import { discordLinks } from "./links.ts";
import { readReaction } from "./reaction-names.ts";

/** Ids are snowflakes. `discord:` in front, and the forms people copy out of a message (`<@1>`, `<#1>`), are folded away. */
function foldDiscordId(id: string): string | null {
  const bare = id.trim().replace(/^discord:/i, "");
  return /^(?:<(?:@[!&]?|#))?([1-9]\d{0,19})>?$/.exec(bare)?.[1] ?? null;
}

export const discordDescriptor: ChannelDescriptor = {
  channel: "discord",
  guarantee: discordGuarantee,
  links: discordLinks,
  ownShape: discordOwnShape,
  ownSchema: discordOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "guilds", nested: "channels", senders: "users", roles: true },
  replyToMode: "first",
  reactions: { read: readReaction, example: '"👀", or "name:id" for an emoji of a server' },
  identityKey: "token",
  secretKeys: ["token"],
  foldId: foldDiscordId,
  idExample: {
    sender: "222333444555666777 (a number; /whoami shows it)",
    place: "333444555666777888 (a number; developer mode, Copy Server ID or Copy Channel ID)",
  },
  create: async (account, http) => (await import("./index.ts")).create(account, http),
  doctor: async (account, signal) => (await import("./doctor.ts")).discordDoctor(account, signal),
};
