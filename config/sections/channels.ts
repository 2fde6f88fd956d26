import { z } from "zod";
import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { MUST } from "../../src/core/texts/config/shape.ts";
import { placeMap } from "./places.ts";
import { flag, ids, nameText, text, threadBindings } from "./values.ts";

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
  allowBots: z.union([flag, z.literal("mentions")], { error: MUST.beAllowBots }).optional(),
  maxBotTurns: z.int().min(1).max(1_000).optional(),
  pacing: flag.optional(),
  ackReaction: text.optional(),
};

/** The names of the keys that channels share. */
export const SHARED_CHANNEL_KEYS: readonly string[] = Object.keys({ ...behaviour, ...access });

const sharedChannel = z.strictObject({ ...behaviour, ...access });
/** One channel's or account's own view of the keys that all channels share. */
export type SharedChannelSection = z.infer<typeof sharedChannel>;

/** `channels`: read by the part that knows their adapters. */
export type ChannelSections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The section `channels.<channel>`: the adapter's own keys, the shared ones, and accounts with the same keys again. */
export function channelSection(descriptor: ChannelDescriptor): z.ZodType {
  const own = z.strictObject(descriptor.ownShape).partial().shape;
  if (descriptor.access === "operator") return z.strictObject({ ...behaviour, ...own });
  const places =
    descriptor.places === null
      ? {}
      : { [descriptor.places.map]: placeMap(descriptor.places, descriptor.places.nested).optional() };
  const account = { ...behaviour, ...access, ...own, ...places };
  return z.strictObject({ ...account, accounts: z.record(nameText, z.strictObject(account)).optional() });
}
