import type { WaitOptions } from "../signals.ts";
import { Bot, Person } from "./accounts.ts";
import { CallLog, type CallRecord } from "./calls.ts";
import type { Speaker } from "./conversation.ts";
import { type Fault, type FaultKind, type FaultScope, Faults } from "./faults.ts";
import { breakSessions, type GatewayBreak } from "./gateway/breaks.ts";
import { tell } from "./gateway/events.ts";
import { GatewayServer } from "./gateway/server.ts";
import { Guild } from "./guild.ts";
import { Place } from "./place.ts";
import { DOCUMENTED_LIMITS, RateLimiter, type RateLimits } from "./rate-limits.ts";
import type { BotFacts } from "./records.ts";
import type { RouteName } from "./route-table.ts";
import { type AcceptedHook, type ArrivedHook, DiscordServer } from "./server.ts";
import type { APIMessage } from "./wire-types.ts";
import { World } from "./world.ts";

export interface EmulatorOptions {
  /** Milliseconds since the epoch. Default: the machine's clock. */
  clock?: () => number;
  /** Realistic 429s with their headers: the documented limits, or own ones. Default: off. */
  rateLimits?: true | RateLimits;
  /** How many requests the log keeps at least. Default 100,000. */
  keepCalls?: number;
  /** The heartbeat interval the gateway asks for, milliseconds. Default 41,250. */
  heartbeatMs?: number;
  /** How long a link takes to become an embed, milliseconds. Default 100. */
  linkEmbedMs?: number;
}

export interface BotOptions extends Partial<BotFacts> {
  username: string;
  token?: string;
  id?: string;
}

export interface GuildOptions {
  name: string;
  /** The first person is the owner. */
  members: Speaker[];
  id?: string;
}

/** A whole small Discord: REST API and gateway on loopback, and the people who use it. */
export class DiscordEmulator {
  readonly world: World;
  readonly #faults = new Faults();
  readonly #calls: CallLog;
  readonly #server: DiscordServer;
  #skewMs = 0;
  #arrived: ArrivedHook | null = null;
  #accepted: AcceptedHook | null = null;

  constructor(options: EmulatorOptions) {
    const clock = options.clock ?? (() => performance.timeOrigin + performance.now());
    this.world = new World(() => clock() + this.#skewMs, options.linkEmbedMs ?? 100);
    this.#calls = new CallLog(options.keepCalls ?? 100_000);
    const limits = options.rateLimits === true ? DOCUMENTED_LIMITS : options.rateLimits;
    const gateway = new GatewayServer({
      world: this.world,
      faults: this.#faults,
      heartbeatMs: options.heartbeatMs ?? 41_250,
      url: () => this.gatewayUrl,
    });
    this.#server = new DiscordServer({
      world: this.world,
      faults: this.#faults,
      calls: this.#calls,
      gateway,
      limiter: limits === undefined ? null : new RateLimiter(limits),
      arrived: () => this.#arrived,
      accepted: () => this.#accepted,
    });
  }

  /** For discord.js' `rest: {api}`: `http://127.0.0.1:<port>/api`. The library finds the gateway through it. */
  get apiUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/api`;
  }

  get gatewayUrl(): string {
    return `ws://127.0.0.1:${this.#server.port}`;
  }

  /** Adds an application with its bot. Privileged intents are off unless said otherwise. */
  bot(options: BotOptions): Bot {
    const { username, token, id } = options;
    const facts = {
      messageContent: options.messageContent ?? false,
      guildMembers: options.guildMembers ?? false,
      presences: options.presences ?? false,
    };
    return new Bot(
      this.world.addBot({
        username,
        facts,
        ...(token === undefined ? {} : { token }),
        ...(id === undefined ? {} : { id }),
      }),
    );
  }

  /** Adds a person. */
  user(options: { name: string; username?: string; id?: string }): Person {
    return new Person(this.world, this.world.addUser(options));
  }

  /** A guild without channels; the first of `members` who is no bot owns it. */
  guild(options: GuildOptions): Guild {
    const owner = options.members.find((member) => member.user.bot !== true);
    if (owner === undefined) throw new Error("a guild needs a person as its owner");
    const { name, id } = options;
    const record = this.world.addGuild({ name, owner: owner.user, ...(id === undefined ? {} : { id }) });
    const guild = new Guild(this.world, record, owner);
    for (const member of options.members) guild.adds(member);
    return guild;
  }

  /** The validated requests so far, oldest first. */
  calls(method?: RouteName): CallRecord[] {
    return this.#calls.of(method);
  }

  /** Waits for a request of a route that was answered and satisfies `where`. */
  called(
    method: RouteName,
    where: (call: CallRecord) => boolean = () => true,
    options: WaitOptions = {},
  ): Promise<CallRecord> {
    return this.world.signals.until(
      () => this.#calls.of(method).find((call) => call.answeredAt !== undefined && where(call)),
      { what: `a call of ${method}`, ...options },
    );
  }

  /** What people see in a channel, thread or direct messages. */
  messages(place: Place | string): APIMessage[] {
    if (place instanceof Place) return place.messages();
    const channel = this.world.channels.get(place);
    if (channel === undefined) throw new Error("there is no such channel");
    return new Place(this.world, channel).messages();
  }

  /** Resolves as soon as `look` gives something; looks after every change. */
  until<T>(look: () => T | undefined, options: WaitOptions = {}): Promise<T> {
    return this.world.signals.until(look, options);
  }

  /** Waits until a bot has a connected gateway session. */
  async connected(bot: Bot, options: WaitOptions = {}): Promise<void> {
    await this.until(() => (bot.isConnected ? true : undefined), {
      what: `${bot.username} to be connected to the gateway`,
      ...options,
    });
  }

  /** Resets a bot's token: connections are closed with 4004, every request is refused with 401 from now on. */
  revokes(bot: Bot): void {
    bot.record.revoked = true;
    for (const session of bot.record.sessions) session.wire?.close(4004, "Authentication failed.");
    bot.record.sessions.clear();
  }

  /** Sends a bot any event, as it is. */
  inject(bot: Bot, t: string, data: unknown): void {
    tell([bot.record], { t, intents: 0, guildId: null, data: () => data });
  }

  /** Switches a fault on: `dc.fails({kind: "429", retryAfter: 3}, {method: "create_message"})`. */
  fails(what: FaultKind, scope: FaultScope = {}): Fault {
    return this.#faults.add(what, scope);
  }

  /** Does something to a bot's open gateway connections, now: `dc.breaks(bot, {kind: "op7"})`. */
  breaks(bot: Bot, what: GatewayBreak): void {
    breakSessions(bot.record, what);
    this.world.signals.changed();
  }

  /** The platform's clock goes wrong by so many milliseconds: ids and times of messages, `Date` of answers. */
  skews(ms: number): void {
    this.#skewMs = ms;
  }

  /** Switches all faults off. */
  heals(): void {
    this.#faults.clear();
  }

  /**
   * Calls `hook` with every valid request before it is carried out; a fault that it switches on hits that request. While its
   * promise is open the request waits (a crash test kills the client there).
   */
  onArrived(hook: ArrivedHook | null): void {
    this.#arrived = hook;
  }

  /** Calls `hook` after every carried-out request and before its answer (a crash test kills the client there). */
  onAccepted(hook: AcceptedHook | null): void {
    this.#accepted = hook;
  }

  /** The platform goes down: the port closes, every connection is cut. People can go on writing. */
  async stop(): Promise<void> {
    this.world.stopTimers();
    await this.#server.close();
  }

  /** The platform comes (back) up, on the same port; sessions can be resumed. */
  async start(): Promise<void> {
    await this.#server.listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Starts the emulator on 127.0.0.1, free port. Stop it with `stop()`, or declare it with `await using`. */
export async function startDiscordEmulator(options: EmulatorOptions = {}): Promise<DiscordEmulator> {
  const emulator = new DiscordEmulator(options);
  await emulator.start();
  return emulator;
}
