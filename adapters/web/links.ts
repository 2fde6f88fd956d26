import type { LinkReader } from "../../src/channel/pointers.ts";
import { PREFIX } from "./address.ts";

const PATH = /^\/c\/([^/]+)(?:\/t\/([^/]+))?$/;
const ELEMENT = /^#([pm])-(.+)$/;

/** The link behind a message's time on the page. */
export const webLinks: LinkReader = {
  read({ pathname, hash }) {
    const [, to, thread] = pathname.startsWith(`${PREFIX}/`) ? (PATH.exec(pathname.slice(PREFIX.length)) ?? []) : [];
    const [, , messageId] = ELEMENT.exec(hash) ?? [];
    if (to === undefined || messageId === undefined) return null;
    const id = decoded(thread ?? to);
    return id === null ? null : { to: id, messageId, sentAt: null };
  },
  example: "http://127.0.0.1:4180/web/c/<conversation>#<message>, the link behind a message's time",
  unseen: ["the page was not connected; what could not be handed over stands beside the text field"],
};

/** Null: a `%` that begins no escape, so the page never gave that link. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
