import { z } from "zod";
import type { ChannelDescriptor, LinkReader } from "../../src/channel/descriptor.ts";
import { webExamples } from "../../src/core/texts/platforms/examples.ts";
import { PREFIX } from "./address.ts";

const PATH = /^\/c\/([^/]+)(?:\/t\/([^/]+))?$/;
const ELEMENT = /^#([pm])-(.+)$/;

/** The link behind a message's time on the page. */
const webLinks: LinkReader = {
  read({ pathname, hash }) {
    const [, to, thread] = pathname.startsWith(`${PREFIX}/`) ? (PATH.exec(pathname.slice(PREFIX.length)) ?? []) : [];
    const [, , messageId] = ELEMENT.exec(hash) ?? [];
    if (to === undefined || messageId === undefined) return null;
    const id = decoded(thread ?? to);
    return id === null ? null : { to: id, messageId, sentAt: null };
  },
  example: webExamples.link,
  unseen: webExamples.unseen,
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

/** The web page has no keys of its own: its address and its token are those of the HTTP server (CH-4). */
export const webOwnShape = {};
export const webOwnSchema = z.strictObject(webOwnShape);
export type WebConfig = z.infer<typeof webOwnSchema>;

/** The built-in chat page (CH-4): whoever passes the HTTP server's door is the operator. */
export const webDescriptor: ChannelDescriptor = {
  channel: "web",
  guarantee: async () => (await import("./guarantee.ts")).webGuarantee,
  links: webLinks,
  ownShape: webOwnShape,
  ownSchema: webOwnSchema,
  access: "operator",
  enabledByDefault: true,
  places: null,
  replyToMode: "off",
  reactions: null,
  identityKey: null,
  secretKeys: [],
  foldId: (id) => (id.trim() === "" ? null : id.trim()),
  idExample: { sender: "operator", place: "general" },
  create: async (account) => (await import("./index.ts")).create(account),
  doctor: async () => [],
};
