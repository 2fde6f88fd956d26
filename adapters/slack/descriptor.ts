import type { ChannelDescriptor, LinkReader } from "../../src/channel/descriptor.ts";
import { slackExamples } from "../../src/core/texts/platforms/examples.ts";
import { timeOf } from "./address.ts";
import { slackOwnSchema, slackOwnShape } from "./config.ts";

const PATH = /^\/archives\/([CDG][A-Z0-9]+)\/p(\d{10})(\d{6})$/;

/** Permalinks as "Copy link" gives them. */
const slackLinks: LinkReader = {
  read({ hostname, pathname }) {
    const [, to, seconds, micros] = isSlack(hostname) ? (PATH.exec(pathname) ?? []) : [];
    if (to === undefined || seconds === undefined || micros === undefined) return null;
    const messageId = `${seconds}.${micros}`;
    return { to, messageId, sentAt: timeOf(messageId) };
  },
  example: "https://<workspace>.slack.com/archives/<channel>/p<time>",
  unseen: slackExamples.unseen,
};

function isSlack(hostname: string): boolean {
  return hostname === "slack.com" || hostname.endsWith(".slack.com");
}

/** Slack's ids are upper case; people copy them in any case, and other tools write `slack:` in front (FC-053). */
function foldSlackId(id: string, what: "sender" | "place"): string | null {
  const bare = id
    .trim()
    .replace(/^slack:/i, "")
    .toUpperCase();
  return (what === "sender" ? /^[UWB][A-Z0-9]{2,30}$/ : /^[CGD][A-Z0-9]{2,30}$/).test(bare) ? bare : null;
}

/** Slack names emoji; these are what people write on other platforms for the same purpose. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["👀", "eyes"],
  ["👍", "+1"],
  ["👌", "ok_hand"],
  ["✅", "white_check_mark"],
  ["⏳", "hourglass_flowing_sand"],
  ["⌛", "hourglass"],
  ["🤔", "thinking_face"],
  ["💭", "thought_balloon"],
  ["🔥", "fire"],
  ["⚡", "zap"],
  ["🤖", "robot_face"],
  ["✍", "writing_hand"],
  ["🙏", "pray"],
  ["❤", "heart"],
]);

/** A name with or without colons (`eyes`, `:eyes:`), or one of the emoji above. */
function foldReaction(text: string): string | null {
  const name = NAMES.get(text.replaceAll("\ufe0f", "")) ?? text.replace(/^:(.*):$/, "$1");
  return /^[a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?$/.test(name) ? name : null;
}

export const slackDescriptor: ChannelDescriptor = {
  channel: "slack",
  guarantee: async () => (await import("./guarantee.ts")).slackGuarantee,
  links: slackLinks,
  ownShape: slackOwnShape,
  ownSchema: slackOwnSchema,
  access: "policies",
  enabledByDefault: false,
  places: { map: "channels", nested: null, inServers: false, senders: "users", roles: false },
  replyToMode: "all",
  reactions: { read: foldReaction, example: '"eyes"' },
  identityKey: "botToken",
  secretKeys: ["botToken", "appToken", "signingSecret"],
  foldId: foldSlackId,
  idExample: { sender: slackExamples.sender, place: slackExamples.place },
  manifest: async (app) => (await import("./manifest.ts")).slackManifest(app),
  create: async (account) => (await import("./index.ts")).create(account),
  doctor: async (account, signal) => (await import("./doctor.ts")).slackDoctor(account, signal),
};
