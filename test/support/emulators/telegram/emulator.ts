import type { TelegramMessage } from "@gramio/types/objects";
import type { WaitOptions } from "../signals.ts";
import { Bot, Person } from "./accounts.ts";
import { CallLog, type CallRecord } from "./calls.ts";
import type { Speaker } from "./conversation.ts";
import { type Fault, type FaultKind, type FaultScope, Faults } from "./faults.ts";
import { Channel, Forum, Group, migrate } from "./groups.ts";
import { visibleMessages } from "./messages.ts";
import type { MethodName } from "./method-names.ts";
import type { CallContext } from "./methods/handler.ts";
import { carryOut } from "./methods/registry.ts";
import { Place } from "./place.ts";
import { DOCUMENTED_LIMITS, RateLimiter, type RateLimits } from "./rate-limits.ts";
import type { BotFacts, BotRecord, ChatRecord, Member } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { checkedParams, methodNamed } from "./request-schema.ts";
import { type AcceptedHook, type ArrivedHook, BotApiServer } from "./server.ts";
import { WebhookPusher } from "./webhook.ts";
import { World } from "./world.ts";

export interface EmulatorOptions {
  /** Milliseconds since the epoch. Default: the machine's clock. */
  clock?: () => number;
  /** Realistic 429s: the documented limits, or own ones. Default: off. */
  rateLimits?: true | RateLimits;
  /** How many requests the log keeps at least. Default 100,000. */
  keepCalls?: number;
  /** First delay after a failed webhook delivery, milliseconds. Default 100. */
  webhookRetryMs?: number;
}

export interface BotOptions extends Partial<BotFacts> {
  username: string;
  token?: string;
  name?: string;
  id?: number;
}

export interface GroupOptions {
  title: string;
  /** The first person is the owner. */
  members: Speaker[];
  /** Members who are administrators. */
  admins?: Speaker[];
  username?: string;
  id?: number;
}

/** A whole small Telegram: a Bot API server on loopback, and the people who use it. */
export class TelegramEmulator {
  readonly world: World;
  readonly #faults = new Faults();
  readonly #calls: CallLog;
  readonly #server: BotApiServer;
  readonly #limiter: RateLimiter | null;
  readonly #webhooks = new Map<BotRecord, WebhookPusher>();
  readonly #webhookRetryMs: number;
  #skewMs = 0;
  #arrived: ArrivedHook | null = null;
  #accepted: AcceptedHook | null = null;

  constructor(options: EmulatorOptions) {
    const clock = options.clock ?? (() => performance.timeOrigin + performance.now());
    this.world = new World(() => clock() + this.#skewMs);
    this.#calls = new CallLog(options.keepCalls ?? 100_000);
    const limits = options.rateLimits === true ? DOCUMENTED_LIMITS : options.rateLimits;
    this.#limiter = limits === undefined ? null : new RateLimiter(limits);
    this.#webhookRetryMs = options.webhookRetryMs ?? 100;
    this.#server = new BotApiServer({
      world: this.world,
      faults: this.#faults,
      calls: this.#calls,
      contextOf: (bot, files) => this.#context(bot, files),
      arrived: () => this.#arrived,
      accepted: () => this.#accepted,
    });
  }

  /** For a client's `apiRoot`: `http://127.0.0.1:<port>`. */
  get apiRoot(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Adds a bot account. Privacy mode is on and topics are off unless said otherwise. */
  bot(options: BotOptions): Bot {
    return new Bot(
      this.world.addBot({
        username: options.username,
        name: options.name ?? options.username,
        facts: {
          canReadAllGroupMessages: options.canReadAllGroupMessages ?? false,
          hasTopicsEnabled: options.hasTopicsEnabled ?? false,
          mentionsPassPrivacy: options.mentionsPassPrivacy ?? true,
          seesOtherBots: options.seesOtherBots ?? false,
        },
        ...(options.token === undefined ? {} : { token: options.token }),
        ...(options.id === undefined ? {} : { id: options.id }),
      }),
    );
  }

  /** Adds a person. */
  user(options: Parameters<World["addUser"]>[0]): Person {
    return new Person(this.world, this.world.addUser(options));
  }

  /** A basic group (`supergroup: true` for a supergroup without topics). */
  group(options: GroupOptions & { supergroup?: boolean }): Group {
    const kind = options.supergroup === true ? "supergroup" : "group";
    return this.#filled(Group, this.world.addChat(kind, options), options);
  }

  /** A supergroup with topics. */
  forum(options: GroupOptions): Forum {
    return this.#filled(Forum, this.world.addChat("supergroup", { ...options, forum: true }), options);
  }

  /** A channel; its bots are administrators. The first of `members` who is no bot writes its posts. */
  channel(options: GroupOptions): Channel {
    const chat = this.world.addChat("channel", options);
    const group = this.#filled(Group, chat, { ...options, admins: options.members.filter((m) => m.user.is_bot) });
    return new Channel(this.world, chat, null, group.owner);
  }

  #filled<Kind extends Group>(
    kind: new (world: World, chat: ChatRecord, owner: Speaker) => Kind,
    chat: ChatRecord,
    options: GroupOptions,
  ): Kind {
    const owner = options.members.find((member) => !member.user.is_bot);
    if (owner === undefined) throw new Error("a group needs a person as its owner");
    const admins = new Set(options.admins ?? []);
    for (const member of options.members) {
      const status: Member["status"] = member === owner ? "creator" : admins.has(member) ? "administrator" : "member";
      this.world.setMember(chat, member.user, { status });
    }
    return new kind(this.world, chat, owner);
  }

  /** Upgrades a basic group to a supergroup; returns the new one. */
  migrate(group: Group): Group {
    return migrate(this.world, group);
  }

  /** The validated requests so far, oldest first; without polls unless `getUpdates` is asked for. */
  calls(method?: MethodName): CallRecord[] {
    return this.#calls.of(method);
  }

  /** Waits for a request of a method that was answered and satisfies `where`. */
  called(
    method: MethodName,
    where: (call: CallRecord) => boolean = () => true,
    options: WaitOptions = {},
  ): Promise<CallRecord> {
    return this.world.signals.until(
      () => this.#calls.of(method).find((call) => call.answeredAt !== undefined && where(call)),
      { what: `a call of ${method}`, ...options },
    );
  }

  /** What people see in a chat, or in one topic of it. */
  messages(chat: Place | number, topicId?: number | null): TelegramMessage[] {
    if (chat instanceof Place && topicId === undefined && chat.topicId !== null) return chat.messages();
    const record = chat instanceof Place ? chat.chat : this.world.chatById(chat);
    if (record === undefined) throw new Error("there is no such chat");
    return visibleMessages(record, topicId).map((stored) => stored.message);
  }

  /** Resolves as soon as `look` gives something; looks after every change. */
  until<T>(look: () => T | undefined, options: WaitOptions = {}): Promise<T> {
    return this.world.signals.until(look, options);
  }

  /** Waits until a bot has confirmed all its updates and polls again (or its webhook has taken them all). */
  async caughtUp(bot: Bot, options: WaitOptions = {}): Promise<void> {
    const idle = (): boolean => bot.pendingUpdates === 0 && (bot.isPolled || bot.record.webhook !== null);
    await this.world.signals.until(() => (idle() ? true : undefined), {
      what: `@${bot.username} to take all its updates`,
      ...options,
    });
  }

  /** Revokes a bot's token: every request is refused with 401 from now on. */
  revokes(bot: Bot): void {
    bot.record.revoked = true;
  }

  /** Puts an arbitrary object into a bot's queue; without `update_id` it gets the next one. Returns the id. */
  inject(bot: Bot, rawUpdate: Record<string, unknown>): number {
    return bot.record.updates.pushRaw(rawUpdate);
  }

  /** Switches a fault on: `tg.fails({kind: "429", retryAfter: 3}, {method: "sendMessage"})`. */
  fails(what: FaultKind, scope: FaultScope = {}): Fault {
    return this.#faults.add(what, scope);
  }

  /** The platform's clock goes wrong by so many milliseconds: times of messages, `Date` of answers. */
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
    for (const pusher of this.#webhooks.values()) pusher.stop();
    this.#webhooks.clear();
    await this.#server.close();
  }

  /** The platform comes (back) up, on the same port. */
  async start(): Promise<void> {
    await this.#server.listen();
    for (const bot of this.world.bots.values()) this.#webhookChanged(bot);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #context(bot: BotRecord, files: CallContext["files"]): CallContext {
    return {
      world: this.world,
      bot,
      files,
      spend: (chat, messages) => this.#limiter?.spend(bot.user.id, chat, messages, this.world.clock()),
      onDisconnect: () => undefined,
      webhookChanged: (changed) => this.#webhookChanged(changed),
    };
  }

  #webhookChanged(bot: BotRecord): void {
    this.#webhooks.get(bot)?.stop();
    this.#webhooks.delete(bot);
    if (bot.webhook === null) return;
    const pusher = new WebhookPusher(this.world, bot, bot.webhook, {
      retryMs: this.#webhookRetryMs,
      longestRetryMs: 5000,
      onReply: (replying, reply) => void this.#carryOutReply(replying, reply),
    });
    this.#webhooks.set(bot, pusher);
    pusher.start();
  }

  /** A webhook may answer with a method to carry out; the platform does not tell the bot how that went. */
  async #carryOutReply(bot: BotRecord, { method: name, ...raw }: Record<string, unknown>): Promise<void> {
    if (typeof name !== "string") return;
    let call: CallRecord | null = null;
    try {
      const method = methodNamed(name);
      const params = checkedParams(method, raw);
      call = this.#calls.open(method, bot.user.id, params, this.world.clock());
      call.result = await carryOut(method, this.#context(bot, new Map()), params);
      call.outcome = "ok";
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (call !== null) {
        call.outcome = "refused";
        call.refusal = { code: error.code, description: error.description };
      }
    }
    if (call !== null) call.answeredAt = this.world.clock();
    this.world.signals.changed();
  }
}

/** Starts the emulator on 127.0.0.1, free port. Stop it with `stop()`, or declare it with `await using`. */
export async function startTelegramEmulator(options: EmulatorOptions = {}): Promise<TelegramEmulator> {
  const emulator = new TelegramEmulator(options);
  await emulator.start();
  return emulator;
}
