import { botsIn, maySee } from "../audience.ts";
import type { BotRecord, GuildRecord } from "../records.ts";
import { guildCreateShape } from "../shapes.ts";
import { INTENT } from "../wire-types.ts";
import type { World } from "../world.ts";
import { tell } from "./events.ts";
import type { GatewaySession } from "./session.ts";

/** Application flags: which privileged intents are switched on (the forms for bots in few guilds). */
export function applicationFlags({ facts }: BotRecord): number {
  return (facts.presences ? 1 << 13 : 0) | (facts.guildMembers ? 1 << 15 : 0) | (facts.messageContent ? 1 << 19 : 0);
}

function guildsOf(world: World, bot: BotRecord): GuildRecord[] {
  return [...world.guilds.values()].filter((guild) => !guild.deleted && guild.members.has(bot.user.id));
}

function createData(world: World, guild: GuildRecord, session: GatewaySession): unknown {
  return guildCreateShape(world, guild, session.bot, {
    allMembers: (session.intents & INTENT.guildMembers) !== 0,
    channel: (channel) => maySee(world, channel, session.bot.user.id),
  });
}

/** READY, then every guild of the session's shard. */
export function greet(world: World, session: GatewaySession, resumeUrl: string): void {
  const { bot } = session;
  const guilds = guildsOf(world, bot).filter((guild) => session.covers(guild.id));
  session.dispatch("READY", {
    v: 10,
    user: { ...bot.user, bot: true, verified: true, mfa_enabled: false, email: null, flags: 0 },
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    session_type: "normal",
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: { id: bot.user.id, flags: applicationFlags(bot) },
    private_channels: [],
    relationships: [],
    user_settings: {},
    presences: [],
  });
  if ((session.intents & INTENT.guilds) === 0) return;
  for (const guild of guilds) {
    if (!guild.unavailable) session.dispatch("GUILD_CREATE", createData(world, guild, session));
  }
}

/** A bot has come into a guild, or the guild is there again after an outage. */
export function tellGuildIsThere(world: World, guild: GuildRecord, bots: Iterable<BotRecord>): void {
  tell(bots, {
    t: "GUILD_CREATE",
    intents: INTENT.guilds,
    guildId: guild.id,
    data: (session) => createData(world, guild, session),
  });
}

/** The guild is gone for these bots; `outage`: it is still theirs, but cannot be used. */
export function tellGuildIsGone(guild: GuildRecord, bots: Iterable<BotRecord>, outage: boolean): void {
  tell(bots, {
    t: "GUILD_DELETE",
    intents: INTENT.guilds,
    guildId: guild.id,
    data: () => (outage ? { id: guild.id, unavailable: true } : { id: guild.id }),
  });
}

/** The platform has an outage with this guild, or it is over. */
export function setUnavailable(world: World, guild: GuildRecord, unavailable: boolean): void {
  guild.unavailable = unavailable;
  if (unavailable) tellGuildIsGone(guild, botsIn(world, guild), true);
  else tellGuildIsThere(world, guild, botsIn(world, guild));
  world.signals.changed();
}
