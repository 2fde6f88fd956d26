import { Signals } from "../signals.ts";
import { EVERYONE_BITS, permissionBits, permissionsIn } from "./permissions.ts";
import type {
  BotFacts,
  BotRecord,
  ChannelRecord,
  FileRecord,
  GuildRecord,
  InteractionRecord,
  MemberRecord,
  RoleRecord,
} from "./records.ts";
import { Snowflakes } from "./snowflakes.ts";
import { type APIUser, CHANNEL, type ChannelType } from "./wire-types.ts";

/** Everything that exists on the emulated platform. Holds state and finds things; the rules are in their own files. */
export class World {
  readonly signals = new Signals();
  readonly bots = new Map<string, BotRecord>();
  readonly users = new Map<string, APIUser>();
  readonly guilds = new Map<string, GuildRecord>();
  readonly channels = new Map<string, ChannelRecord>();
  readonly interactions = new Map<string, InteractionRecord>();
  readonly files = new Map<string, FileRecord>();
  readonly clock: () => number;
  /** How long a link takes to become an embed. */
  readonly linkEmbedMs: number;
  readonly #ids: Snowflakes;
  readonly #timers = new Set<NodeJS.Timeout>();
  #origin = "";
  #seq = 0;

  /** `clock` gives milliseconds since the epoch. */
  constructor(clock: () => number, linkEmbedMs: number) {
    this.clock = clock;
    this.linkEmbedMs = linkEmbedMs;
    this.#ids = new Snowflakes(clock);
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  nextId(): string {
    return this.#ids.next();
  }

  /** The present time as the platform writes it. */
  now(): string {
    return new Date(this.clock()).toISOString().replace("Z", "000+00:00");
  }

  /** Where files are downloaded: `http://127.0.0.1:<port>`. */
  get origin(): string {
    return this.#origin;
  }

  servedAt(origin: string): void {
    this.#origin = origin;
  }

  /** Does something `ms` later unless the emulator has stopped by then. */
  later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  /** Drops everything that was to happen later. */
  stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  addBot(options: { username: string; token?: string; id?: string; facts: BotFacts }): BotRecord {
    const id = options.id ?? this.nextId();
    const token = options.token ?? `${Buffer.from(id).toString("base64url")}.emulated.${options.username}-token`;
    if (this.bots.has(token)) throw new Error("there is already a bot with this token");
    const user = this.#addUser({ id, username: options.username, name: null, bot: true });
    const { facts } = options;
    const bot: BotRecord = {
      token,
      user,
      facts,
      revoked: false,
      sessions: new Set(),
      identifies: 0,
      logins: { left: 0, resetsAt: 0 },
      shards: 1,
      distortions: new Set(),
      partialReplays: 0,
      commands: new Map(),
    };
    this.bots.set(token, bot);
    return bot;
  }

  addUser(options: { name: string; username?: string; id?: string; bot?: boolean }): APIUser {
    const username = options.username ?? options.name.toLowerCase().replaceAll(/[^a-z0-9_.]/g, "_");
    return this.#addUser({
      id: options.id ?? this.nextId(),
      username,
      name: options.name,
      bot: options.bot === true,
    });
  }

  #addUser(options: { id: string; username: string; name: string | null; bot: boolean }): APIUser {
    const user: APIUser = {
      id: options.id,
      username: options.username,
      discriminator: options.bot ? "0001" : "0",
      global_name: options.name,
      avatar: null,
      ...(options.bot ? { bot: true } : {}),
    };
    this.users.set(user.id, user);
    return user;
  }

  botById(id: string): BotRecord | undefined {
    for (const bot of this.bots.values()) if (bot.user.id === id) return bot;
    return undefined;
  }

  addGuild(options: { name: string; owner: APIUser; id?: string }): GuildRecord {
    const id = options.id ?? this.nextId();
    const guild: GuildRecord = {
      id,
      name: options.name,
      ownerId: options.owner.id,
      roles: new Map(),
      members: new Map(),
      unavailable: false,
      deleted: false,
    };
    guild.roles.set(id, { id, name: "@everyone", permissions: EVERYONE_BITS, position: 0, botId: null });
    this.guilds.set(id, guild);
    return guild;
  }

  addRole(guild: GuildRecord, options: { name: string; permissions?: bigint; botId?: string }): RoleRecord {
    const role: RoleRecord = {
      id: this.nextId(),
      name: options.name,
      permissions: options.permissions ?? 0n,
      position: guild.roles.size,
      botId: options.botId ?? null,
    };
    guild.roles.set(role.id, role);
    return role;
  }

  /** Makes somebody a member; a bot gets its managed role. */
  addMember(guild: GuildRecord, user: APIUser): MemberRecord {
    const member: MemberRecord = { user, nick: null, roles: [], joinedAt: this.now() };
    const bot = user.bot === true ? this.botById(user.id) : undefined;
    if (bot !== undefined) {
      const permissions = permissionBits(["ViewChannel", "SendMessages", "ReadMessageHistory"]);
      member.roles.push(this.addRole(guild, { name: user.username, permissions, botId: user.id }).id);
    }
    guild.members.set(user.id, member);
    return member;
  }

  addChannel(options: {
    type: ChannelType;
    name: string;
    guild: GuildRecord | null;
    parentId?: string | null;
    id?: string;
    topic?: string | null;
  }): ChannelRecord {
    const channel: ChannelRecord = {
      id: options.id ?? this.nextId(),
      type: options.type,
      name: options.name,
      guildId: options.guild?.id ?? null,
      parentId: options.parentId ?? null,
      topic: options.topic ?? null,
      position: this.channels.size,
      overwrites: new Map(),
      tags: [],
      requireTag: false,
      slowmode: 0,
      thread: null,
      dm: null,
      messages: new Map(),
      typing: [],
      deleted: false,
      readUpTo: new Map(),
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** The direct messages of a person and a bot; made when they are first asked for. */
  dmChannel(user: APIUser, bot: BotRecord): ChannelRecord {
    for (const channel of this.channels.values()) {
      if (channel.dm?.botId === bot.user.id && channel.dm.user.id === user.id) return channel;
    }
    const channel = this.addChannel({ type: CHANNEL.dm, name: "", guild: null });
    channel.dm = { botId: bot.user.id, user, blocked: false, openedByUser: false };
    return channel;
  }

  /** The guild of a channel. */
  guildOf(channel: ChannelRecord): GuildRecord | null {
    return channel.guildId === null ? null : (this.guilds.get(channel.guildId) ?? null);
  }

  /** The channels of a guild that are there, without threads. */
  channelsOf(guild: GuildRecord): ChannelRecord[] {
    return [...this.channels.values()].filter((c) => c.guildId === guild.id && c.thread === null && !c.deleted);
  }

  /** The threads of a guild that are there. */
  threadsOf(guild: GuildRecord): ChannelRecord[] {
    return [...this.channels.values()].filter((c) => c.guildId === guild.id && c.thread !== null && !c.deleted);
  }

  /** What somebody may do in a channel; a thread has the permissions of its parent, direct messages have all. */
  permissions(channel: ChannelRecord, userId: string): bigint {
    const guild = this.guildOf(channel);
    if (guild === null) return ~0n;
    const parent = channel.thread === null ? channel : this.channels.get(channel.parentId ?? "");
    return permissionsIn(guild, parent ?? null, userId);
  }

  addFile(channelId: string, name: string, mimeType: string, bytes: Uint8Array): FileRecord {
    const id = this.nextId();
    const file: FileRecord = { id, name, mimeType, path: `/attachments/${channelId}/${id}/${name}`, bytes };
    this.files.set(id, file);
    return file;
  }
}
