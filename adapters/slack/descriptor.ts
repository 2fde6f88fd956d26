import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { slackOwnSchema, slackOwnShape } from "./config.ts";
import { slackGuarantee } from "./guarantee.ts";
import { slackLinks } from "./links.ts";
import { readReaction } from "./outbound/reactions.ts";

/** Slack's ids are upper case; people copy them in any case, and other tools write `slack:` in front (FC-053). */
function foldSlackId(id: string, what: "sender" | "place"): string | null {
  const bare = id
    .trim()
    .replace(/^slack:/i, "")
    .toUpperCase();
  return (what === "sender" ? /^[UWB][A-Z0-9]{2,30}$/ : /^[CGD][A-Z0-9]{2,30}$/).test(bare) ? bare : null;
}

export const slackDescriptor: ChannelDescriptor = {
  channel: "slack",
  guarantee: slackGuarantee,
  links: slackLinks,
  ownShape: slackOwnShape,
  ownSchema: slackOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "channels", nested: null, senders: "users", roles: false },
  replyToMode: "all",
  reactions: { read: readReaction, example: '"eyes"' },
  identityKey: "botToken",
  secretKeys: ["botToken", "appToken", "signingSecret"],
  foldId: foldSlackId,
  idExample: {
    sender: 'U0123ABCD ("Copy member ID" in a profile; /whoami shows it)',
    place: "C0123ABCD (at the bottom of a channel's details)",
  },
  manifest: async (app) => (await import("./manifest.ts")).slackManifest(app),
  create: async (account, http) => (await import("./index.ts")).create(account, http),
  doctor: async (account, signal) => (await import("./doctor.ts")).slackDoctor(account, signal),
};
