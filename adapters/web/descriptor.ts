import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { webOwnSchema, webOwnShape } from "./config.ts";
import { webGuarantee } from "./guarantee.ts";
import { webLinks } from "./links.ts";

/** The built-in chat page (CH-4): whoever passes the HTTP server's door is the operator. */
export const webDescriptor: ChannelDescriptor = {
  channel: "web",
  guarantee: webGuarantee,
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
  create: async (account, http) => (await import("./index.ts")).create(account, http),
  doctor: async () => [],
};
