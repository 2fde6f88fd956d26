import type { BotRecord, ChannelRecord, GuildRecord, MemberRecord, RoleRecord } from "./records.ts";
import { compareIds } from "./snowflakes.ts";
import { CHANNEL } from "./wire-types.ts";
import type { World } from "./world.ts";

type Shape = Record<string, unknown>;

export function roleShape(role: RoleRecord): Shape {
  return {
    id: role.id,
    name: role.name,
    description: null,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: role.botId !== null,
    mentionable: false,
    flags: 0,
    ...(role.botId === null ? {} : { tags: { bot_id: role.botId } }),
  };
}

/** A member without its user, as inside of messages. */
export function partialMemberShape(member: MemberRecord): Shape {
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: member.roles,
    joined_at: member.joinedAt,
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

export function memberShape(member: MemberRecord): Shape {
  return { ...partialMemberShape(member), user: member.user };
}

function overwritesShape(channel: ChannelRecord): Shape[] {
  return [...channel.overwrites.values()].map((o) => ({
    id: o.id,
    type: o.type,
    allow: String(o.allow),
    deny: String(o.deny),
  }));
}

function lastMessageId(channel: ChannelRecord): string | null {
  let last: string | null = null;
  for (const stored of channel.messages.values()) {
    if (stored.onlyFor === null && (last === null || compareIds(stored.message.id, last) > 0)) last = stored.message.id;
  }
  return last;
}

export function threadMemberShape(thread: ChannelRecord, userId: string): Shape | null {
  const joined = thread.thread?.members.get(userId);
  if (joined === undefined) return null;
  return { id: thread.id, user_id: userId, join_timestamp: joined, flags: 0 };
}

function threadShape(channel: ChannelRecord, seer: BotRecord | null): Shape {
  const { thread } = channel;
  if (thread === null) return {};
  const own = seer === null ? null : threadMemberShape(channel, seer.user.id);
  const count = [...channel.messages.values()].filter((m) => !m.deleted && m.message.id !== channel.id).length;
  return {
    owner_id: thread.ownerId,
    message_count: count,
    member_count: thread.members.size,
    total_message_sent: thread.totalMessages,
    rate_limit_per_user: channel.slowmode,
    applied_tags: thread.appliedTags,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: thread.archiveTimestamp,
      auto_archive_duration: thread.autoArchiveDuration,
      locked: thread.locked,
      create_timestamp: thread.createdAt,
      ...(channel.type === CHANNEL.privateThread ? { invitable: thread.invitable } : {}),
    },
    ...(own === null ? {} : { member: own }),
  };
}

/** A channel or thread as a bot sees it. */
export function channelShape(channel: ChannelRecord, seer: BotRecord | null = null): Shape {
  const base = { id: channel.id, type: channel.type, flags: 0, last_message_id: lastMessageId(channel) };
  if (channel.dm !== null) return { ...base, recipients: [channel.dm.user] };
  const inGuild = { ...base, guild_id: channel.guildId, name: channel.name, parent_id: channel.parentId };
  if (channel.thread !== null) return { ...inGuild, ...threadShape(channel, seer) };
  const forum = channel.type === CHANNEL.forum || channel.type === CHANNEL.media;
  return {
    ...inGuild,
    ...(forum && channel.requireTag ? { flags: 1 << 4 } : {}),
    position: channel.position,
    permission_overwrites: overwritesShape(channel),
    nsfw: false,
    ...(channel.type === CHANNEL.category ? {} : { topic: channel.topic, rate_limit_per_user: channel.slowmode }),
    ...(forum
      ? {
          available_tags: channel.tags,
          default_reaction_emoji: null,
          default_sort_order: null,
          default_forum_layout: 0,
          default_thread_rate_limit_per_user: 0,
        }
      : {}),
  };
}

/** A guild as `GET /guilds/{id}` gives it. */
export function guildShape(guild: GuildRecord): Shape {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    region: "deprecated",
    afk_channel_id: null,
    afk_timeout: 300,
    widget_enabled: false,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map(roleShape),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: "en-US",
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    nsfw_level: 0,
    incidents_data: null,
  };
}

/** GUILD_CREATE: the guild with the channels and active threads the bot may see. */
export function guildCreateShape(
  world: World,
  guild: GuildRecord,
  seer: BotRecord,
  sees: { allMembers: boolean; channel: (channel: ChannelRecord) => boolean },
): Shape {
  const members = [...guild.members.values()].filter((m) => sees.allMembers || m.user.id === seer.user.id);
  const channels = world.channelsOf(guild).filter(sees.channel);
  const threads = world.threadsOf(guild).filter((t) => t.thread?.archived === false && sees.channel(t));
  return {
    ...guildShape(guild),
    joined_at: guild.members.get(seer.user.id)?.joinedAt ?? world.now(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: members.map(memberShape),
    channels: channels.map((channel) => channelShape(channel, seer)),
    threads: threads.map((thread) => channelShape(thread, seer)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
