import type { WaitOptions } from "../signals.ts";
import type { App, Person } from "./accounts.ts";
import { CallLog, type CallRecord } from "./calls.ts";
import type { Channel } from "./channels.ts";
import type { Speaker } from "./conversation.ts";
import type { Attempt, AttemptResult } from "./delivery.ts";
import { type Fault, type FaultKind, type FaultScope, Faults } from "./faults.ts";
import { visibleMessages } from "./messages.ts";
import type { MethodName } from "./method-names.ts";
import type { Place } from "./place.ts";
import { RateLimiter } from "./rate-limits.ts";
import type { AppRecord, SlackMessage } from "./records.ts";
import { deliverToUrl } from "./request-url.ts";
import { type AcceptedHook, type ArrivedHook, SlackServer } from "./server.ts";
import { type AppOptions, type ChannelOptions, type DeliveryTimes, Workspace } from "./workspace.ts";
import { World } from "./world.ts";

export interface EmulatorOptions {
  /** Milliseconds since the epoch. Default: the machine's clock. */
  clock?: () => number;
  /** Realistic 429s: the documented tiers, and one message a second and channel. Default: off. */
  rateLimits?: boolean;
  /** How many requests the log keeps at least. Default 100,000. */
  keepCalls?: number;
  /** Milliseconds an app has for acknowledging. Default 3000, as on the platform. */
  ackMs?: number;
  /** Delay before each retry of an event. Default 50, 1000 and 5000 ms (the platform: at once, 1 min, 5 min). */
  retryDelaysMs?: readonly number[];
  /** Milliseconds between the platform's pings on a socket. Default 10,000. */
  pingMs?: number;
}

/** A whole small Slack: Web API, Socket Mode and HTTP events on loopback, and the people who use it. */
export class SlackEmulator {
  readonly world: World;
  /** The workspace that `app`, `user`, `channel` and `mpim` speak of. */
  readonly home: Workspace;
  readonly #faults = new Faults();
  readonly #calls: CallLog;
  readonly #server: SlackServer;
  readonly #times: DeliveryTimes;
  #skewMs = 0;
  #arrived: ArrivedHook | null = null;
  #accepted: AcceptedHook | null = null;

  constructor(options: EmulatorOptions) {
    const clock = options.clock ?? (() => performance.timeOrigin + performance.now());
    this.world = new World(() => clock() + this.#skewMs);
    this.#calls = new CallLog(options.keepCalls ?? 100_000);
    this.#times = {
      ackMs: options.ackMs ?? 3000,
      retryDelaysMs: options.retryDelaysMs ?? [50, 1000, 5000],
      pingMs: options.pingMs ?? 10_000,
    };
    this.#server = new SlackServer({
      world: this.world,
      faults: this.#faults,
      calls: this.#calls,
      limiter: options.rateLimits === true ? new RateLimiter() : null,
      arrived: () => this.#arrived,
      accepted: () => this.#accepted,
    });
    this.home = this.workspace("Emulated");
  }

  /** For a client's `slackApiUrl`: `http://127.0.0.1:<port>/api/`. */
  get apiUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/api/`;
  }

  /** Adds a workspace; the first, `home`, is there from the start. */
  workspace(name: string): Workspace {
    const team = { id: this.world.newId("T"), name, domain: name.toLowerCase() };
    this.world.teams.set(team.id, team);
    return new Workspace(this.world, team, {
      times: this.#times,
      deliver: this.deliverOne,
    });
  }

  /** Adds an app to the home workspace. */
  app(options: AppOptions = {}): App {
    return this.home.app(options);
  }

  /** Adds a person to the home workspace. */
  user(options: Parameters<Workspace["user"]>[0]): Person {
    return this.home.user(options);
  }

  /** A channel of the home workspace, public unless `private`. */
  channel(name: string, options: ChannelOptions): Channel {
    return this.home.channel(name, options);
  }

  /** A user group, by the handle that mentions it; the id is what events carry. */
  userGroup(handle: string): string {
    const id = `S0EMU${String(this.world.userGroups.size + 1).padStart(5, "0")}`;
    this.world.userGroups.set(id, handle);
    return id;
  }

  /** A direct message between several people and apps of the home workspace. */
  mpim(members: Speaker[]): Channel {
    return this.home.mpim(members);
  }

  /** The validated requests so far, oldest first. */
  calls(method?: MethodName): CallRecord[] {
    return this.#calls.of(method);
  }

  /** Waits for a request of a method that was answered and satisfies `where`. */
  called(
    method: MethodName,
    where: (call: CallRecord) => boolean = () => true,
    options: WaitOptions = {},
  ): Promise<CallRecord> {
    return this.until(() => this.calls(method).find((call) => call.answeredAt !== undefined && where(call)), {
      what: `a call of ${method}`,
      ...options,
    });
  }

  /** What people see in a place. */
  messages(place: Place): SlackMessage[] {
    return visibleMessages(place.conversation, place.threadTs).map((stored) => stored.message);
  }

  /** Resolves as soon as `look` gives something; looks after every change. */
  until<T>(look: () => T | undefined, options: WaitOptions = {}): Promise<T> {
    return this.world.signals.until(look, options);
  }

  /** Waits until an app has taken (or lost) all its events. */
  async caughtUp(app: App, options: WaitOptions = {}): Promise<void> {
    await this.until(() => (app.pendingEvents === 0 ? true : undefined), {
      what: `${app.record.name} to take all its events`,
      ...options,
    });
  }

  /** Switches a fault on: `sl.fails({kind: "429", retryAfter: 3}, {method: "chat.postMessage"})`. */
  fails(what: FaultKind, scope: FaultScope = {}): Fault {
    return this.#faults.add(what, scope);
  }

  /** The platform's clock goes wrong by so many milliseconds: `ts` of messages (never backwards), `Date` of answers. */
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
    for (const app of this.world.apps.values()) {
      app.deliveries.pause();
      app.sockets.cut();
    }
    await this.#server.close();
  }

  /** The platform comes (back) up, on the same port, and sends what was not acknowledged. */
  async start(): Promise<void> {
    await this.#server.listen();
    for (const app of this.world.apps.values()) app.deliveries.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Brings one payload to an app, once, by its way of receiving. */
  readonly deliverOne = (app: AppRecord, attempt: Attempt): Promise<AttemptResult> => {
    if (app.requestUrl === null) return app.sockets.deliver(attempt);
    return deliverToUrl(app, app.requestUrl, attempt, { nowMs: this.world.clock(), ackMs: this.#times.ackMs });
  };
}

/** Starts the emulator on 127.0.0.1, free port. Stop it with `stop()`, or declare it with `await using`. */
export async function startSlackEmulator(options: EmulatorOptions = {}): Promise<SlackEmulator> {
  const emulator = new SlackEmulator(options);
  await emulator.start();
  return emulator;
}
