import { maySee } from "../audience.ts";
import { tellChannel } from "../channels.ts";
import { PERMISSIONS, permissionsIn } from "../permissions.ts";
import { badRequest, invalidForm, missingAccess, missingPermissions, notFound } from "../refusal.ts";
import { channelShape, guildShape, memberShape, roleShape, threadMemberShape } from "../shapes.ts";
import { compareIds } from "../snowflakes.ts";
import { CHANNEL, type ChannelType } from "../wire-types.ts";
import { guildFor, idIn } from "./destination.ts";
import type { BotHandlers } from "./handler.ts";

const CREATABLE = new Set<number>([
  CHANNEL.text,
  CHANNEL.voice,
  CHANNEL.category,
  CHANNEL.announcement,
  CHANNEL.forum,
  CHANNEL.media,
]);

function isCreatable(type: number): type is ChannelType {
  return CREATABLE.has(type);
}

export const guildRoutes: BotHandlers<
  | "get_guild"
  | "list_guild_channels"
  | "create_guild_channel"
  | "list_guild_roles"
  | "list_guild_members"
  | "get_guild_member"
  | "get_active_guild_threads"
> = {
  get_guild: (context) => {
    const guild = guildFor(context);
    const counts = context.query.get("with_counts") === "true";
    return { ...guildShape(guild), ...(counts ? { approximate_member_count: guild.members.size } : {}) };
  },

  list_guild_channels: (context) => {
    const { world, bot } = context;
    return world
      .channelsOf(guildFor(context))
      .filter((channel) => maySee(world, channel, bot.user.id))
      .map((channel) => channelShape(channel, bot));
  },

  create_guild_channel: (context, body) => {
    const { world, bot } = context;
    const guild = guildFor(context);
    if ((permissionsIn(guild, null, bot.user.id) & PERMISSIONS.ManageChannels) === 0n) throw missingPermissions();
    const type = body.type ?? CHANNEL.text;
    if (!isCreatable(type)) throw badRequest(50024, "Cannot execute action on this channel type");
    const channel = world.addChannel({
      type,
      name: body.name,
      guild,
      parentId: body.parent_id ?? null,
      topic: body.topic ?? null,
    });
    tellChannel(world, channel, "CHANNEL_CREATE");
    return channelShape(channel, bot);
  },

  list_guild_roles: (context) => [...guildFor(context).roles.values()].map(roleShape),

  list_guild_members: (context) => {
    const guild = guildFor(context);
    if (!context.bot.facts.guildMembers) throw missingAccess();
    const limit = Number(context.query.get("limit") ?? "1");
    if (!(limit >= 1 && limit <= 1000)) {
      throw invalidForm({ path: ["limit"], code: "NUMBER_TYPE_MAX", message: "Value should be between 1 and 1000." });
    }
    const after = context.query.get("after") ?? "0";
    return [...guild.members.values()]
      .filter((member) => compareIds(member.user.id, after) > 0)
      .sort((a, b) => compareIds(a.user.id, b.user.id))
      .slice(0, limit)
      .map(memberShape);
  },

  get_guild_member: (context) => {
    const member = guildFor(context).members.get(idIn(context, "user_id"));
    if (member === undefined) throw notFound(10007, "Unknown Member");
    return memberShape(member);
  },

  get_active_guild_threads: (context) => {
    const { world, bot } = context;
    const threads = world
      .threadsOf(guildFor(context))
      .filter((thread) => thread.thread?.archived === false && maySee(world, thread, bot.user.id));
    return {
      threads: threads.map((thread) => channelShape(thread, bot)),
      members: threads.flatMap((thread) => threadMemberShape(thread, bot.user.id) ?? []),
    };
  },
};
