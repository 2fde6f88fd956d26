import { accountName, type ChannelDescriptor } from "../../src/channel/descriptor.ts";
import type { AccountSettings, PlaceSettings, Settings } from "../../src/core/settings.ts";

/** The effective access policy, one line per account (IN-6); `config check` and start-up print it. */
export function describePolicy(
  settings: Settings,
  channels: readonly Pick<ChannelDescriptor, "channel" | "access">[],
): readonly string[] {
  const operated = new Set(channels.filter((one) => one.access === "operator").map((one) => one.channel));
  return settings.accounts.map((account) => {
    // Whoever is at the operator's own page speaks to the agent: nothing has to be addressed there.
    const groups = operated.has(account.channel) ? "all, without mention" : groupText(account);
    const parts = [`direct: ${directText(account)}`, `groups: ${groups}`, `bots: ${botText(account)}`];
    return `${accountName(account)}: ${parts.join("; ")}`;
  });
}

function directText(account: AccountSettings): string {
  const listed = account.allowFrom.filter((id) => id !== "*");
  const isForAll = account.allowFrom.includes("*");
  switch (account.dmPolicy) {
    case "disabled":
      return "nobody";
    case "open":
      return "everybody";
    case "allowlist":
      return isForAll ? "everybody" : listed.length === 0 ? "nobody (allowFrom is empty)" : `only ${listed.join(", ")}`;
    case "pairing":
      if (isForAll) return "everybody";
      return listed.length === 0 ? "whoever is paired" : `${listed.join(", ")}, and whoever is paired`;
  }
}

function groupText(account: AccountSettings): string {
  if (account.groupPolicy === "disabled") return "none";
  if (account.places.size > 0) return [...account.places].map(([id, place]) => placeText(id, place)).join(", ");
  return account.groupPolicy === "open" ? "all, when addressed" : "none (the list is empty)";
}

function placeText(id: string, place: PlaceSettings): string {
  const facts = [
    place.enabled ? null : "off",
    place.requireMention === false ? "without mention" : null,
    place.allowFrom === null ? null : `only ${place.allowFrom.join(", ") || "nobody"}`,
    place.roles === null ? null : `roles ${place.roles.join(", ") || "none"}`,
    place.agentId === null ? null : `agent ${place.agentId}`,
    place.places.size === 0
      ? null
      : [...place.places].map(([inner, settings]) => placeText(inner, settings)).join(", "),
  ].filter((fact) => fact !== null);
  const name = id === "*" ? "all others" : id;
  return facts.length === 0 ? name : `${name} (${facts.join("; ")})`;
}

function botText(account: AccountSettings): string {
  if (account.allowBots === false) return "ignored";
  return account.allowBots === "mentions" ? "when they mention the bot" : "answered";
}
