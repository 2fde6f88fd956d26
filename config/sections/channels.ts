import { z } from "zod";
import type { ChannelDescriptor, PlaceKeys } from "../../src/channel/descriptor.ts";
import { narrowingTools } from "./agent-schemas.ts";
import { filledText, flag, id, ids, name, text, threadBindings } from "./values.ts";

/** Keys of every channel. */
const behaviour = {
  enabled: flag.optional(),
  streaming: z.enum(["partial", "off"]).optional(),
  replyToMode: z.enum(["off", "first", "all"]).optional(),
  threadBindings: threadBindings.optional(),
};

/** Keys of every channel that lets people in by policy (IN-4, IN-5, IN-6). */
const access = {
  dmPolicy: z.enum(["pairing", "allowlist", "open", "disabled"]).optional(),
  allowFrom: ids.optional(),
  groupPolicy: z.enum(["allowlist", "open", "disabled"]).optional(),
  allowBots: z.union([flag, z.literal("mentions")], { error: 'must be true, false or "mentions"' }).optional(),
  maxBotTurns: z.int().min(1).max(1_000).optional(),
  pacing: flag.optional(),
  ackReaction: text.optional(),
};

const sharedChannel = z.strictObject({ ...behaviour, ...access });
/** One channel's or account's own view of the keys that all channels share. */
export type SharedChannelSection = z.infer<typeof sharedChannel>;

const placeShape = {
  enabled: flag.optional(),
  requireMention: flag.optional(),
  agentId: filledText.optional(),
  systemPrompt: text.optional(),
  tools: narrowingTools.optional(),
};
const place = z.strictObject({
  ...placeShape,
  allowFrom: ids.optional(),
  users: ids.optional(),
  roles: ids.optional(),
});
export type PlaceSection = z.infer<typeof place>;

function placeMap(keys: PlaceKeys, nested: string | null): z.ZodType {
  const inner = nested === null ? {} : { [nested]: placeMap(keys, null).optional() };
  const roles = keys.roles ? { roles: ids.optional() } : {};
  return z.record(z.string(), z.strictObject({ ...placeShape, [keys.senders]: ids.optional(), ...roles, ...inner }));
}

/** The section `channels.<channel>`: the adapter's own keys, the shared ones, and accounts with the same keys again. */
export function channelSection(descriptor: ChannelDescriptor): z.ZodType {
  const own = z.strictObject(descriptor.ownShape).partial().shape;
  if (descriptor.access === "operator") return z.strictObject({ ...behaviour, ...own });
  const places =
    descriptor.places === null
      ? {}
      : { [descriptor.places.map]: placeMap(descriptor.places, descriptor.places.nested).optional() };
  const account = { ...behaviour, ...access, ...own, ...places };
  return z.strictObject({ ...account, accounts: z.record(name, z.strictObject(account)).optional() });
}

export const binding = z.strictObject({
  agentId: filledText.optional(),
  match: z
    .strictObject({
      channel: filledText.optional(),
      accountId: filledText.optional(),
      peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id }).optional(),
      guildId: id.optional(),
      roles: ids.optional(),
      teamId: id.optional(),
    })
    .optional(),
  session: z
    .strictObject({
      dmScope: z.enum(["main", "per-peer", "per-channel-peer", "per-account-channel-peer"]).optional(),
      groupScope: z.enum(["per-group", "main"]).optional(),
    })
    .optional(),
});
export type BindingSection = z.infer<typeof binding>;
