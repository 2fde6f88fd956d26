import type { ChannelId } from "../core/ids.ts";
import type { Role } from "../core/session/rights.ts";
import type { Settings } from "../core/settings.ts";

/** The lists of `commands.*`, ready for one look-up each; made once per settings (CM-1, CM-8). */
export interface RoleLists {
  readonly owners: ReadonlySet<string>;
  readonly admins: ReadonlySet<string>;
  /** null: everybody admitted may use commands. */
  readonly commandUsers: ReadonlySet<string> | null;
  /** How many different people the owner list names, one person's linked ids counted once (IN-16). */
  readonly ownerCount: number;
}

export interface PairedFacts {
  /** Approved for DMs of this account (IN-5). */
  readonly paired: boolean;
  /** An owner put them on the list, which counts under `allowlist` too (CM-14). Default false. */
  readonly listed?: boolean;
  /** An owner put them on the list of the group or channel they write in (CM-14). Default false. */
  readonly listedHere?: boolean;
  readonly owner: boolean;
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

/** What a sender may do, whatever surface they use (FC-087). */
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
  return `commands.allowFrom does not list ${entry}`;
}
