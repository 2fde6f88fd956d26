import type { ChannelDescriptor } from "../channel/descriptor.ts";
import type { ChannelId } from "../core/ids.ts";
import type { AdmissionFacts } from "../core/message/inbound-event.ts";
import { assertNever } from "../core/runtime.ts";
import type { PairedFacts } from "../core/session/present-access.ts";
import type { Role } from "../core/session/rights.ts";
import type { AccountSettings, Settings } from "../core/settings.ts";
import { accessRules, eventRules } from "../core/texts/rules.ts";
import { accountPath, findPlace, type PlaceEntry } from "./places.ts";

/** How the channel is entered and what its access map is called in the configuration. */
export type ChannelDoor = Pick<ChannelDescriptor, "access" | "places">;

export interface AdmissionRules {
  readonly account: AccountSettings;
  readonly door: ChannelDoor;
  readonly roles: RoleLists;
  readonly paired: PairedFacts;
  /** The id this conversation had before it was moved; entries for it go on holding (SK-9). */
  readonly formerPeerId: string | null;
}

export type Admission =
  | {
      readonly admitted: true;
      readonly role: Role;
      /** The entry of the access map; null for DMs and where no map is. */
      readonly place: PlaceEntry | null;
      readonly commandsDenied: string | null;
    }
  /** `self`: the bot's own message; `pairing`: a person who may ask to be paired; the rule names the key that decided. */
  | { readonly admitted: false; readonly why: "self" | "bot" | "access" | "pairing"; readonly rule: string };

/**
 * The one access decision, for messages, native commands, buttons and reactions alike (IN-15). DMs and groups have rules
 * of their own: being paired gives no access to a group (FC-085). Everything that no rule allows is refused (IN-6).
 */
export function admit(facts: AdmissionFacts, rules: AdmissionRules): Admission {
  const { account, door } = rules;
  if (facts.sender.isSelf) return refuse("self", eventRules.ownMessage);
  const botRule = facts.sender.isBot ? refusedBot(facts, account) : null;
  if (botRule !== null) return refuse("bot", botRule);
  if (door.access === "operator") {
    return { admitted: true, role: "owner", place: null, commandsDenied: null };
  }
  return facts.peer.kind === "direct" ? admitDirect(facts, rules) : admitPlace(facts, rules);
}

function refuse(why: "self" | "bot" | "access" | "pairing", rule: string): Admission {
  return { admitted: false, why, rule };
}

function accept(facts: AdmissionFacts, rules: AdmissionRules, place: PlaceEntry | null): Admission {
  const sender = { channel: rules.account.channel, id: facts.sender.id };
  const role = roleOf(rules.roles, sender, rules.paired);
  return { admitted: true, role, place, commandsDenied: commandsDenied(rules.roles, sender, role) };
}

/** IN-4: of another bot only an inline mention counts; a reply ping never does (FC-083). */
function refusedBot(facts: AdmissionFacts, account: AccountSettings): string | null {
  const path = `${accountPath(account)}.allowBots`;
  switch (account.allowBots) {
    case true:
      return null;
    case false:
      return accessRules.is(path, "false");
    case "mentions":
      return facts.mentions.bot ? null : accessRules.botWithoutMention(path);
    default:
      return assertNever(account.allowBots);
  }
}

function admitDirect(facts: AdmissionFacts, rules: AdmissionRules): Admission {
  const { account, paired } = rules;
  const path = accountPath(account);
  const { id } = facts.sender;
  const listed = account.allowFrom.includes(id) || account.allowFrom.includes("*");
  switch (account.dmPolicy) {
    case "disabled":
      return refuse("access", accessRules.is(`${path}.dmPolicy`, "disabled"));
    case "open":
      return listed ? accept(facts, rules, null) : refuse("access", accessRules.doesNotList(`${path}.allowFrom`, id));
    case "allowlist":
      return listed || paired.listed === true
        ? accept(facts, rules, null)
        : refuse("access", accessRules.doesNotList(`${path}.allowFrom`, id));
    case "pairing":
      if (listed || paired.paired) return accept(facts, rules, null);
      return refuse("pairing", accessRules.notPaired(path, id));
    default:
      return assertNever(account.dmPolicy);
  }
}

function admitPlace(facts: AdmissionFacts, rules: AdmissionRules): Admission {
  const { account, door, formerPeerId } = rules;
  const path = accountPath(account);
  if (account.groupPolicy === "disabled") return refuse("access", accessRules.is(`${path}.groupPolicy`, "disabled"));
  const peerIds = formerPeerId === null ? [facts.peer.id] : [facts.peer.id, formerPeerId];
  const lookup = findPlace(account, facts, { peerIds, keys: door.places });
  switch (lookup.found) {
    case "no map": {
      if (account.groupPolicy === "open") return accept(facts, rules, null);
      const missing = facts.guildId ?? facts.peer.id;
      return refuse("access", accessRules.doesNotList(`${path}.${door.places?.map ?? "places"}`, missing));
    }
    case "missing":
    case "off":
      return refuse("access", lookup.rule);
    case "entry": {
      const rule = refusedPerson(facts, lookup.place, rules);
      return rule === null ? accept(facts, rules, lookup.place) : refuse("access", rule);
    }
    default:
      return assertNever(lookup);
  }
}

/**
 * Lists of people and roles that are present and not empty allow only their entries; one match is enough, also in the stored list
 * of the group or channel (CM-14).
 */
function refusedPerson({ sender }: AdmissionFacts, place: PlaceEntry, { door, paired }: AdmissionRules): string | null {
  const people = place.allowFrom ?? [];
  const roles = place.roles ?? [];
  if (people.length === 0 && roles.length === 0) return null;
  if (people.includes(sender.id) || people.includes("*")) return null;
  if (paired.listedHere === true && !place.ownPeople) return null;
  if (sender.roleIds.some((role) => roles.includes(role))) return null;
  const key = people.length > 0 ? (door.places?.senders ?? "allowFrom") : "roles";
  return accessRules.doesNotList(`${place.path}.${key}`, sender.id);
}

/** The lists of `commands.*`, ready for one look-up each; made once per settings (CM-1, CM-8). */
export interface RoleLists {
  readonly owners: ReadonlySet<string>;
  readonly admins: ReadonlySet<string>;
  /** null: everyone admitted may use commands. */
  readonly commandUsers: ReadonlySet<string> | null;
  /** How many different people the owner list names, one person's linked ids counted once (IN-16). */
  readonly ownerCount: number;
}

/** Entries are `<channel>:<sender id>`, ids already in the platform's form. */
export function roleLists(settings: Pick<Settings, "commands" | "session">): RoleLists {
  const { ownerAllowFrom, adminAllowFrom, allowFrom } = settings.commands;
  const people = ownerAllowFrom.map((entry) => settings.session.identityLinks.get(entry) ?? entry);
  return {
    owners: new Set(ownerAllowFrom),
    admins: new Set(adminAllowFrom ?? ownerAllowFrom),
    commandUsers: allowFrom === null ? null : new Set(allowFrom),
    ownerCount: new Set(people).size,
  };
}

/** What a sender may do, the same on every surface (FC-087). */
export function roleOf(lists: RoleLists, sender: { channel: ChannelId; id: string }, paired: PairedFacts): Role {
  const entry = `${sender.channel}:${sender.id}`;
  if (paired.owner || lists.owners.has(entry)) return "owner";
  return lists.admins.has(entry) ? "admin" : "user";
}

/** CM-8: the rule that keeps a sender from commands, or null. Owners are never kept from them. */
export function commandsDenied(
  lists: RoleLists,
  sender: { channel: ChannelId; id: string },
  role: Role,
): string | null {
  if (role === "owner" || lists.commandUsers === null) return null;
  const entry = `${sender.channel}:${sender.id}`;
  if (lists.commandUsers.has(entry) || lists.commandUsers.has("*")) return null;
  return accessRules.doesNotList("commands.allowFrom", entry);
}
