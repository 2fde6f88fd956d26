import type { LinkReader } from "../../src/channel/pointers.ts";

const HOST = /^(?:(?:www|ptb|canary)\.)?discord(?:app)?\.com$/;
/** An id has 64 bits, so no more than 20 digits; what is longer says no time that can be told. */
const PATH = /^\/channels\/(?:\d+|@me)\/(\d{1,20})\/(\d{1,20})$/;

/** The first moment ids count from. */
const EPOCH_MS = 1_420_070_400_000;

/** Links as "Copy Message Link" gives them. */
export const discordLinks: LinkReader = {
  read({ hostname, pathname }) {
    const [, to, messageId] = HOST.test(hostname) ? (PATH.exec(pathname) ?? []) : [];
    return to === undefined || messageId === undefined
      ? null
      : { to, messageId, sentAt: Number(BigInt(messageId) >> 22n) + EPOCH_MS };
  },
  example: "https://discord.com/channels/<server>/<channel>/<message>",
  unseen: [
    "the bot does not see the channel: it needs View Channel there, and in a private thread to be added",
    "Message Content Intent is switched off in the developer portal, so text without a mention arrives empty",
    "it was written while the account was away, in a conversation that had no session yet (IN-14)",
  ],
};
