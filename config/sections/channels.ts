import { z } from "zod";
import type { ChannelDescriptor, PlaceKeys } from "../../src/channel/descriptor.ts";
import type { PlaceSettings } from "../../src/core/settings.ts";
import { listedTwice } from "../../src/core/texts/config/people.ts";
import { MUST } from "../../src/core/texts/config/shape.ts";
import type { ConfigPath } from "../load/findings.ts";
import { checkAgent, foldedId, foldedSenders, type NormaliseContext } from "./context.ts";
import { narrowingLayer, narrowingToolsSchema } from "./tools.ts";
import { filledText, flag, ids, nameText, text, threadBindings } from "./values.ts";

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

const placeShape = {
  enabled: flag.optional(),
  requireMention: flag.optional(),
  agentId: filledText.optional(),
  systemPrompt: text.optional(),
  tools: narrowingToolsSchema.optional(),
};
const place = z.strictObject({
  ...placeShape,
  allowFrom: ids.optional(),
  users: ids.optional(),
  roles: ids.optional(),
});
type PlaceSection = z.infer<typeof place>;

export function placeMap(keys: PlaceKeys, nested: string | null): z.ZodType {
  const inner = nested === null ? {} : { [nested]: placeMap(keys, null).optional() };
  const roles = keys.roles ? { roles: ids.optional() } : {};
  return z.record(z.string(), z.strictObject({ ...placeShape, [keys.senders]: ids.optional(), ...roles, ...inner }));
}

type PlaceMapSection = Readonly<Record<string, PlaceSection & { readonly [key: string]: unknown }>>;

interface PlaceInput {
  readonly descriptor: ChannelDescriptor;
  readonly keys: PlaceKeys;
  /** The key of the map inside an entry, null on the innermost level. */
  readonly nested: string | null;
  readonly path: ConfigPath;
}

/** An account's access map (IN-6), its keys in the platform's own form (FC-053). */
export function normalisePlaces(
  context: NormaliseContext,
  section: PlaceMapSection | undefined,
  input: PlaceInput,
): ReadonlyMap<string, PlaceSettings> {
  const places = new Map<string, PlaceSettings>();
  for (const [written, entry] of Object.entries(section ?? {})) {
    const path = [...input.path, written];
    const id =
      written === "*" ? written : foldedId(context, written, { descriptor: input.descriptor, what: "place", path });
    if (id === null) continue;
    if (places.has(id)) context.findings.fault(path, listedTwice(id));
    places.set(id, normalisePlace(context, entry, { ...input, path }));
  }
  return places;
}

function normalisePlace(context: NormaliseContext, entry: PlaceMapSection[string], input: PlaceInput): PlaceSettings {
  const { descriptor, keys, nested, path } = input;
  const senders = entry[keys.senders];
  if (entry.agentId !== undefined) checkAgent(context, entry.agentId, [...path, "agentId"]);
  const inner = nested === null ? undefined : (entry[nested] as PlaceMapSection | undefined);
  return {
    enabled: entry.enabled ?? true,
    requireMention: entry.requireMention ?? null,
    allowFrom:
      senders === undefined ? null : foldedSenders(context, senders, { descriptor, path: [...path, keys.senders] }),
    roles: entry.roles === undefined ? null : entry.roles.map(String),
    agentId: entry.agentId ?? null,
    systemPrompt: entry.systemPrompt ?? null,
    tools: entry.tools === undefined ? null : narrowingLayer(context, entry.tools, [...path, "tools"]),
    places:
      nested === null
        ? new Map()
        : normalisePlaces(context, inner, { ...input, nested: null, path: [...path, nested] }),
  };
}
