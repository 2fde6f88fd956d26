import type { ChannelDescriptor } from "../../src/channel/descriptor.ts";
import { accountName } from "../../src/core/ids.ts";
import type { AccountSettings, PlaceSettings, Settings } from "../../src/core/settings.ts";
import {
  BOTS_ANSWERED,
  BOTS_IGNORED,
  BOTS_MENTIONING,
  EMPTY_LIST,
  EVERYONE,
  GROUPS_ALL,
  GROUPS_NONE,
  GROUPS_NONE_LISTED,
  GROUPS_WHEN_MENTIONED,
  NO_ONE,
  OTHER_PLACES,
  onlyThese,
  PAIRED,
  PLACE_OFF,
  PLACE_WITHOUT_MENTION,
  placeAgent,
  placeLine,
  placeRoles,
  policyLine,
  theseAndPaired,
} from "../../src/core/texts/config/load.ts";

/** The effective access policy, one line per account (IN-6); `config check` and start-up print it. */
export function describePolicy(
  settings: Settings,
  channels: readonly Pick<ChannelDescriptor, "channel" | "access">[],
): readonly string[] {
  const operated = new Set(channels.filter((one) => one.access === "operator").map((one) => one.channel));
  return settings.accounts.map((account) => {
    // On the operator's own page every message is for the agent.
    const groups = operated.has(account.channel) ? GROUPS_ALL : groupText(account);
    return policyLine(accountName(account), directText(account), groups, botText(account));
  });
}

function directText(account: AccountSettings): string {
  const listed = account.allowFrom.filter((id) => id !== "*");
  if (account.dmPolicy === "disabled") return NO_ONE;
  if (account.dmPolicy === "open" || account.allowFrom.includes("*")) return EVERYONE;
  if (account.dmPolicy === "allowlist") return listed.length === 0 ? EMPTY_LIST : onlyThese(listed);
  return listed.length === 0 ? PAIRED : theseAndPaired(listed);
}

function groupText(account: AccountSettings): string {
  if (account.groupPolicy === "disabled") return GROUPS_NONE;
  if (account.places.size > 0) return [...account.places].map(([id, place]) => placeText(id, place)).join(", ");
  return account.groupPolicy === "open" ? GROUPS_WHEN_MENTIONED : GROUPS_NONE_LISTED;
}

function placeText(id: string, place: PlaceSettings): string {
  const facts = [
    place.enabled ? null : PLACE_OFF,
    place.requireMention === false ? PLACE_WITHOUT_MENTION : null,
    place.allowFrom === null ? null : onlyThese(place.allowFrom),
    place.roles === null ? null : placeRoles(place.roles),
    place.agentId === null ? null : placeAgent(place.agentId),
    place.places.size === 0
      ? null
      : [...place.places].map(([inner, settings]) => placeText(inner, settings)).join(", "),
  ].filter((fact) => fact !== null);
  return placeLine(id === "*" ? OTHER_PLACES : id, facts);
}

function botText(account: AccountSettings): string {
  if (account.allowBots === false) return BOTS_IGNORED;
  return account.allowBots === "mentions" ? BOTS_MENTIONING : BOTS_ANSWERED;
}
