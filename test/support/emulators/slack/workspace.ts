import { App, Person } from "./accounts.ts";
import { Channel } from "./channels.ts";
import type { Speaker } from "./conversation.ts";
import { DeliveryQueue } from "./delivery.ts";
import type { DeliverOne } from "./interactions.ts";
import type { AppRecord, ConversationRecord, TeamRecord, UserRecord } from "./records.ts";
import { SocketHub } from "./socket-hub.ts";
import type { World } from "./world.ts";

/** Everything a bridge may ask for; an app has these unless said otherwise. */
export const ALL_SCOPES: readonly string[] = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:join",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "mpim:read",
  "mpim:write",
  "reactions:read",
  "reactions:write",
  "team:read",
  "usergroups:read",
  "users:read",
];

export interface AppOptions {
  /** Default `ALL_SCOPES`. */
  scopes?: readonly string[];
  name?: string;
  /** Event subscriptions (`message.channels`, `app_mention`, …). Default: every one the scopes allow. */
  events?: readonly string[];
  assistant?: boolean;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
}

export interface ChannelOptions {
  /** The first person is the creator. */
  members: Speaker[];
  private?: boolean;
  id?: string;
}

export interface DeliveryTimes {
  /** Milliseconds an app has for acknowledging. */
  ackMs: number;
  /** Delay before each retry of an event, milliseconds. */
  retryDelaysMs: readonly number[];
  /** Milliseconds between the platform's pings on a socket. */
  pingMs: number;
}

/** One workspace: its people, apps and channels. */
export class Workspace {
  readonly team: TeamRecord;
  readonly #world: World;
  readonly #times: DeliveryTimes;
  readonly #deliver: DeliverOne;

  constructor(world: World, team: TeamRecord, parts: { times: DeliveryTimes; deliver: DeliverOne }) {
    this.#world = world;
    this.team = team;
    this.#times = parts.times;
    this.#deliver = parts.deliver;
  }

  /** Adds and installs an app with its bot. */
  app(options: AppOptions = {}): App {
    const world = this.#world;
    const name = options.name ?? "Switchyard";
    const id = world.newId("A");
    const user = this.#addUser({ name: name.toLowerCase().replaceAll(" ", "_"), realName: name, isBot: true });
    const record: AppRecord = {
      id,
      name,
      team: this.team,
      user,
      botId: world.newId("B"),
      botToken: options.botToken ?? `xoxb-${id.toLowerCase()}-emulated`,
      appToken: options.appToken ?? `xapp-1-${id}-emulated`,
      signingSecret: options.signingSecret ?? `secret-of-${id}`,
      scopes: new Set(options.scopes ?? ALL_SCOPES),
      events: options.events === undefined ? null : new Set(options.events),
      tokenState: "valid",
      assistant: options.assistant ?? false,
      sockets: new SocketHub(world, { appId: id, ackMs: this.#times.ackMs, pingMs: this.#times.pingMs }),
      deliveries: new DeliveryQueue(world, {
        retryDelaysMs: this.#times.retryDelaysMs,
        send: (attempt) => this.#deliver(record, attempt),
      }),
      requestUrl: null,
    };
    user.app = record;
    world.apps.set(id, record);
    return new App(world, record);
  }

  /** Adds a person. */
  user(options: { name: string; realName?: string; id?: string; timeZone?: string }): Person {
    return new Person(this.#world, this.#deliver, this.#addUser({ realName: options.name, isBot: false, ...options }));
  }

  #addUser(options: { name: string; realName: string; isBot: boolean; id?: string; timeZone?: string }): UserRecord {
    const user: UserRecord = {
      id: options.id ?? this.#world.newId("U"),
      team: this.team,
      name: options.name,
      realName: options.realName,
      isBot: options.isBot,
      app: null,
      deleted: false,
      timeZone: options.timeZone ?? "Etc/UTC",
    };
    this.#world.users.set(user.id, user);
    return user;
  }

  /** A channel, public unless said otherwise. */
  channel(name: string, options: ChannelOptions): Channel {
    const { id } = options;
    const record = this.#world.addConversation(options.private === true ? "private" : "channel", this.team, {
      name,
      members: options.members.map((member) => member.user.id),
      ...(id === undefined ? {} : { id }),
    });
    return this.#asChannel(record, options.members);
  }

  /** A direct message between several. */
  mpim(members: Speaker[]): Channel {
    const name = `mpdm-${members.map((member) => member.user.name).join("--")}-1`;
    const ids = members.map((member) => member.user.id);
    return this.#asChannel(this.#world.addConversation("mpim", this.team, { name, members: ids }), members);
  }

  #asChannel(record: ConversationRecord, members: Speaker[]): Channel {
    const owner = members.find((member) => !member.user.isBot);
    if (owner === undefined) throw new Error("a channel needs a person as its creator");
    return new Channel(this.#world, record, owner);
  }
}
