import type { ChannelRecord, GuildRecord, Overwrite } from "./records.ts";

/** The permissions the emulator looks at (Permissions, bitwise permission flags). */
export const PERMISSIONS = {
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  CreatePrivateThreads: 1n << 36n,
  SendMessagesInThreads: 1n << 38n,
} as const;

export type PermissionName = keyof typeof PERMISSIONS;

/** One bit set of several permissions. */
export function permissionBits(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | PERMISSIONS[name], 0n);
}

const ALL = permissionBits(Object.keys(PERMISSIONS) as PermissionName[]);

/** What @everyone may do in a new guild. */
export const EVERYONE_BITS = permissionBits([
  "AddReactions",
  "ViewChannel",
  "SendMessages",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "UseApplicationCommands",
  "CreatePublicThreads",
  "CreatePrivateThreads",
  "SendMessagesInThreads",
]);

function guildBits(guild: GuildRecord, userId: string): bigint {
  if (guild.ownerId === userId) return ALL;
  const member = guild.members.get(userId);
  if (member === undefined) return 0n;
  const roles = [guild.id, ...member.roles];
  const bits = roles.reduce((sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n), 0n);
  return (bits & PERMISSIONS.Administrator) !== 0n ? ALL : bits;
}

function overwritten(bits: bigint, overwrites: readonly Overwrite[]): bigint {
  const deny = overwrites.reduce((sum, o) => sum | o.deny, 0n);
  const allow = overwrites.reduce((sum, o) => sum | o.allow, 0n);
  return (bits & ~deny) | allow;
}

/**
 * The permissions of a member in a guild, or in one channel of it: roles, then the channel's overwrites for everyone,
 * for roles, for the member. Threads have those of their parent, which the caller passes.
 */
export function permissionsIn(guild: GuildRecord, channel: ChannelRecord | null, userId: string): bigint {
  const base = guildBits(guild, userId);
  if (channel === null || base === ALL || base === 0n) return base;
  const roles = new Set(guild.members.get(userId)?.roles ?? []);
  const all = [...channel.overwrites.values()];
  const everyone = overwritten(
    base,
    all.filter((o) => o.id === guild.id),
  );
  const byRole = overwritten(
    everyone,
    all.filter((o) => roles.has(o.id)),
  );
  return overwritten(
    byRole,
    all.filter((o) => o.id === userId),
  );
}
