import { z } from "zod";
import type { ChannelDescriptor, PlaceKeys } from "../../src/channel/descriptor.ts";
import type { PlaceSettings } from "../../src/core/settings.ts";
import { listedTwice } from "../../src/core/texts/config/people.ts";
import type { ConfigPath } from "../load/findings.ts";
import { checkAgent, foldedId, foldedSenders, type NormaliseContext } from "./context.ts";
import { narrowingLayer, narrowingToolsSchema } from "./tools.ts";
import { filledText, flag, ids, text } from "./values.ts";

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
