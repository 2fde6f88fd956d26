import type { ChannelDescriptor, LinkReader } from "../../src/channel/descriptor.ts";
import { discordExamples } from "../../src/core/texts/platforms/examples.ts";
import { discordOwnSchema, discordOwnShape } from "./config.ts";

const HOST = /^(?:(?:www|ptb|canary)\.)?discord(?:app)?\.com$/;
/** An id has 64 bits, so no more than 20 digits; what is longer says no time that can be told. */
const PATH = /^\/channels\/(?:\d+|@me)\/(\d{1,20})\/(\d{1,20})$/;

/** The first moment ids count from. */
const EPOCH_MS = 1_420_070_400_000;

/** Links as "Copy Message Link" gives them. */
const discordLinks: LinkReader = {
  read({ hostname, pathname }) {
    const [, to, messageId] = HOST.test(hostname) ? (PATH.exec(pathname) ?? []) : [];
    return to === undefined || messageId === undefined
      ? null
      : { to, messageId, sentAt: Number(BigInt(messageId) >> 22n) + EPOCH_MS };
  },
  example: "https://discord.com/channels/<server>/<channel>/<message>",
  unseen: discordExamples.unseen,
};

const CUSTOM = /^<?a?:?(\w{2,32}:\d{15,21})>?$/;

/** An emoji as it is, or a server's own as `name:id`; also as Discord copies it, `<:name:id>`. */
function foldReaction(text: string): string | null {
  const custom = CUSTOM.exec(text)?.[1];
  if (custom !== undefined) return custom;
  return /^\p{RGI_Emoji}$/v.test(text) ? text : null;
}

/** Ids are snowflakes. `discord:` in front, and the forms people copy out of a message (`<@1>`, `<#1>`), are folded away. */
function foldDiscordId(id: string): string | null {
  const bare = id.trim().replace(/^discord:/i, "");
  return /^(?:<(?:@[!&]?|#))?([1-9]\d{0,19})>?$/.exec(bare)?.[1] ?? null;
}

export const discordDescriptor: ChannelDescriptor = {
  channel: "discord",
  guarantee: async () => (await import("./guarantee.ts")).discordGuarantee,
  links: discordLinks,
  ownShape: discordOwnShape,
  ownSchema: discordOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "guilds", nested: "channels", inServers: true, senders: "users", roles: true },
  replyToMode: "first",
  reactions: { read: foldReaction, example: discordExamples.reaction },
  identityKey: "token",
  secretKeys: ["token"],
  foldId: foldDiscordId,
  idExample: { sender: discordExamples.sender, place: discordExamples.place },
  create: async (account) => {
    (await import("./gateway/proxied-socket.ts")).proxyGateway();
    return (await import("./index.ts")).create(account);
  },
  doctor: async (account, signal) => (await import("./doctor.ts")).discordDoctor(account, signal),
};
