import { botsIn } from "./audience.ts";
import { Channel, Forum, type NewChannel } from "./channel-places.ts";
import { tellChannel } from "./channels.ts";
import type { Speaker } from "./conversation.ts";
import { tell } from "./gateway/events.ts";
import { setUnavailable, tellGuildIsGone, tellGuildIsThere } from "./gateway/welcome.ts";
import { type PermissionName, permissionBits } from "./permissions.ts";
import type { ChannelRecord, GuildRecord, RoleRecord } from "./records.ts";
import { memberShape } from "./shapes.ts";
import { CHANNEL, type ChannelType, INTENT } from "./wire-types.ts";
import type { World } from "./world.ts";

/** A server with its members, roles and channels. */
export class Guild {
  readonly record: GuildRecord;
  /** Whoever makes channels and threads when nobody is named. */
  readonly owner: Speaker;
  readonly #world: World;

  constructor(world: World, record: GuildRecord, owner: Speaker) {
    this.#world = world;
    this.record = record;
    this.owner = owner;
  }

  get id(): string {
    return this.record.id;
  }

  #make(type: ChannelType, name: string, options: NewChannel): ChannelRecord {
    const channel = this.#world.addChannel({
      type,
      name,
      guild: this.record,
      parentId: options.under?.id ?? null,
      topic: options.topic ?? null,
      ...(options.id === undefined ? {} : { id: options.id }),
    });
    channel.requireTag = options.requireTag === true;
    channel.tags = (options.tags ?? []).map((tag) => ({
      id: this.#world.nextId(),
      name: tag,
      moderated: false,
      emoji_id: null,
      emoji_name: null,
    }));
    tellChannel(this.#world, channel, "CHANNEL_CREATE");
    return channel;
  }

  /** A text channel. */
  text(name: string, options: NewChannel = {}): Channel {
    return new Channel(this.#world, this.#make(CHANNEL.text, name, options), this.owner);
  }

  announcement(name: string, options: NewChannel = {}): Channel {
    return new Channel(this.#world, this.#make(CHANNEL.announcement, name, options), this.owner);
  }

  /** A forum: people write posts, each a thread. */
  forum(name: string, options: NewChannel = {}): Forum {
    return new Forum(this.#world, this.#make(CHANNEL.forum, name, options), this.owner);
  }

  media(name: string, options: NewChannel = {}): Forum {
    return new Forum(this.#world, this.#make(CHANNEL.media, name, options), this.owner);
  }

  category(name: string, options: NewChannel = {}): Channel {
    return new Channel(this.#world, this.#make(CHANNEL.category, name, options), this.owner);
  }

  /** An existing channel by its id, for example one a bot has made. */
  channel(id: string): Channel {
    const channel = this.#world.channels.get(id);
    if (channel === undefined || channel.guildId !== this.id) throw new Error(`there is no channel ${id} here`);
    return new Channel(this.#world, channel, this.owner);
  }

  /** Makes a role. */
  role(name: string, permissions: readonly PermissionName[] = []): RoleRecord {
    return this.#world.addRole(this.record, { name, permissions: permissionBits(permissions) });
  }

  /** Gives a member a role; bots with GUILD_MEMBERS hear of it. */
  gives(speaker: Speaker, role: RoleRecord): void {
    this.#member(speaker).roles.push(role.id);
    this.#tellMember(speaker, "GUILD_MEMBER_UPDATE");
  }

  takes(speaker: Speaker, role: RoleRecord): void {
    const member = this.#member(speaker);
    member.roles = member.roles.filter((id) => id !== role.id);
    this.#tellMember(speaker, "GUILD_MEMBER_UPDATE");
  }

  /** Gives a member (a bot's managed role, or a new one) all the rights of moderators, or the given ones. */
  promotes(
    speaker: Speaker,
    permissions: readonly PermissionName[] = ["ManageMessages", "ManageThreads", "ManageChannels"],
  ): void {
    this.gives(speaker, this.role(`moderators of ${speaker.user.username}`, permissions));
  }

  /** Adds somebody; a bot hears GUILD_CREATE. */
  adds(speaker: Speaker): void {
    this.#world.addMember(this.record, speaker.user);
    const bot = this.#world.botById(speaker.user.id);
    if (bot !== undefined) tellGuildIsThere(this.#world, this.record, [bot]);
    this.#tellMember(speaker, "GUILD_MEMBER_ADD");
    this.#world.signals.changed();
  }

  /** Removes somebody; a bot hears GUILD_DELETE. */
  kicks(speaker: Speaker): void {
    const bot = this.#world.botById(speaker.user.id);
    if (bot !== undefined) tellGuildIsGone(this.record, [bot], false);
    this.record.members.delete(speaker.user.id);
    this.#world.signals.changed();
  }

  /** The platform has an outage with this guild: GUILD_DELETE with `unavailable`. */
  goesDown(): void {
    setUnavailable(this.#world, this.record, true);
  }

  comesBack(): void {
    setUnavailable(this.#world, this.record, false);
  }

  /** Deletes the guild with all that is in it. */
  deletes(): void {
    tellGuildIsGone(this.record, botsIn(this.#world, this.record), false);
    this.record.deleted = true;
    for (const channel of this.#world.channels.values()) if (channel.guildId === this.id) channel.deleted = true;
    this.#world.signals.changed();
  }

  #member(speaker: Speaker) {
    const member = this.record.members.get(speaker.user.id);
    if (member === undefined) throw new Error(`${speaker.user.username} is not a member of ${this.record.name}`);
    return member;
  }

  #tellMember(speaker: Speaker, t: "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE"): void {
    const member = this.#member(speaker);
    tell(botsIn(this.#world, this.record), {
      t,
      intents: INTENT.guildMembers,
      guildId: this.id,
      data: () => ({ ...memberShape(member), guild_id: this.id }),
    });
  }
}
