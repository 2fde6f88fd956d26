import type { Rights } from "../core/session/rights.ts";
import type { PlaceSettings, Settings } from "../core/settings.ts";

/** The entry of a group's or channel's place in its account's map, topics before the group before `*`; null: none says anything. */
function placesOf(settings: Settings, group: NonNullable<Rights["group"]>): readonly PlaceSettings[] {
  const account = settings.accounts.find(
    (known) => known.channel === group.channel && known.accountId === group.accountId,
  );
  const outer = account?.places.get(group.id) ?? account?.places.get("*");
  if (outer === undefined) return [];
  const topic = group.topicId === null ? undefined : outer.places.get(group.topicId);
  return topic === undefined ? [outer] : [topic, outer];
}

/** The place's own system prompt (CH-1, CH-3), or null. */
export function placePrompt(settings: Settings, group: Rights["group"]): string | null {
  if (group === null) return null;
  return placesOf(settings, group).find((place) => place.systemPrompt !== null)?.systemPrompt ?? null;
}

/** The channel/group layers of the tool policy, the group's before its topic's (TP-2). */
export function placeToolLayers(
  settings: Settings,
  group: Rights["group"],
): readonly NonNullable<PlaceSettings["tools"]>[] {
  if (group === null) return [];
  return placesOf(settings, group)
    .toReversed()
    .flatMap((place) => (place.tools === null ? [] : [place.tools]));
}
