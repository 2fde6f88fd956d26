import type { LinkReader } from "../../src/channel/pointers.ts";
import { timeOf } from "./address.ts";

const PATH = /^\/archives\/([CDG][A-Z0-9]+)\/p(\d{10})(\d{6})$/;

/** Permalinks as "Copy link" gives them. */
export const slackLinks: LinkReader = {
  read({ hostname, pathname }) {
    const [, to, seconds, micros] = isSlack(hostname) ? (PATH.exec(pathname) ?? []) : [];
    if (to === undefined || seconds === undefined || micros === undefined) return null;
    const messageId = `${seconds}.${micros}`;
    return { to, messageId, sentAt: timeOf(messageId) };
  },
  example: "https://<workspace>.slack.com/archives/<channel>/p<time>",
  unseen: [
    "the app is not in the channel: /invite it",
    "the app's event subscriptions or scopes lack this kind of conversation (`switchyard slack manifest` prints what is needed)",
    "it was written while the account was away, in a conversation that had no session yet (IN-14)",
  ],
};

function isSlack(hostname: string): boolean {
  return hostname === "slack.com" || hostname.endsWith(".slack.com");
}
