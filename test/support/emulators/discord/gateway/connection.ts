import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { Faults, GatewayStep } from "../faults.ts";
import { loginsOf } from "../logins.ts";
import type { BotRecord } from "../records.ts";
import type { World } from "../world.ts";
import { disallowedIntents, KNOWN_INTENTS, parseFrame, parseIdentify, parseResume } from "./requests.ts";
import { type Frame, GatewaySession, type Wire } from "./session.ts";
import { greet } from "./welcome.ts";

const OP = { heartbeat: 1, identify: 2, resume: 6, reconnect: 7, members: 8, invalid: 9, hello: 10, ack: 11 } as const;
/** Sent by clients and of no consequence here: presence, voice state, soundboard sounds. */
const IGNORED_OPS = new Set([3, 4, 31]);

export interface ConnectionParts {
  world: World;
  faults: Faults;
  heartbeatMs: number;
  resumeUrl: () => string;
}

/** One WebSocket of a client, from hello to its end. */
export class Connection implements Wire {
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  #session: GatewaySession | null = null;
  #zombie = false;
  /** Frames are worked off one after the other, although faults may make one wait. */
  #work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on("message", (data) => this.#received(String(data)));
    socket.on("close", (code) => this.#closed(code));
    socket.on("error", () => socket.terminate());
    this.send({ op: OP.hello, d: { heartbeat_interval: parts.heartbeatMs }, s: null, t: null });
  }

  send(frame: Frame): void {
    if (this.#zombie || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify({ t: null, s: null, ...frame }));
  }

  close(code: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  cut(): void {
    this.#socket.terminate();
  }

  invalidate(resumable: boolean): void {
    this.send({ op: OP.invalid, d: resumable });
    this.#session?.detach(this);
    this.#session = null;
  }

  zombify(halfOpen: boolean): void {
    this.#zombie = true;
    if (halfOpen) this.#socket.pause();
  }

  #received(text: string): void {
    if (this.#zombie) return;
    this.#work = this.#work.then(() => this.#obey(text));
  }

  async #obey(text: string): Promise<void> {
    const frame = parseFrame(text);
    if (frame === null) return this.close(4002, "Error while decoding payload.");
    switch (frame.op) {
      case OP.heartbeat:
        this.#session?.hears(typeof frame.d === "number" ? frame.d : null);
        this.send({ op: OP.ack });
        this.#parts.world.signals.changed();
        return;
      case OP.identify:
        return this.#identify(frame.d);
      case OP.resume:
        return this.#resume(frame.d);
      case OP.members:
        if (this.#session === null) this.close(4003, "Not authenticated.");
        return;
      default:
        if (this.#session === null) return this.close(4003, "Not authenticated.");
        if (!IGNORED_OPS.has(frame.op)) this.close(4001, "Unknown opcode.");
    }
  }

  #botOf(token: string): BotRecord | null {
    const bot = this.#parts.world.bots.get(token.replace(/^Bot /, ""));
    return bot === undefined || bot.revoked ? null : bot;
  }

  async #identify(data: unknown): Promise<void> {
    if (this.#session !== null) return this.close(4005, "Already authenticated.");
    const identify = parseIdentify(data);
    if (identify === null) return this.close(4002, "Error while decoding payload.");
    const bot = this.#botOf(identify.token);
    if (bot === null) return this.close(4004, "Authentication failed.");
    const logins = loginsOf(bot, Date.now());
    if (logins.left === 0) {
      // The platform resets the token of a bot that logs in too often.
      bot.revoked = true;
      return this.close(4004, "Authentication failed.");
    }
    logins.left -= 1;
    if (await this.#faulty("gateway_identify", bot)) return;
    const [index, count] = identify.shard;
    if (index >= count) return this.close(4010, "Invalid shard.");
    if ((identify.intents & ~KNOWN_INTENTS) !== 0) return this.close(4013, "Invalid intent(s).");
    if (disallowedIntents(bot, identify.intents) !== 0) return this.close(4014, "Disallowed intent(s).");
    const session = new GatewaySession({
      id: `emulated-session-${this.#parts.world.nextId()}`,
      bot,
      intents: identify.intents,
      shard: identify.shard,
      wire: this,
    });
    this.#session = session;
    bot.sessions.add(session);
    bot.identifies += 1;
    greet(this.#parts.world, session, this.#parts.resumeUrl());
    this.#parts.world.signals.changed();
  }

  async #resume(data: unknown): Promise<void> {
    if (this.#session !== null) return this.close(4005, "Already authenticated.");
    const resume = parseResume(data);
    if (resume === null) return this.close(4002, "Error while decoding payload.");
    const bot = this.#botOf(resume.token);
    if (bot === null) return this.close(4004, "Authentication failed.");
    if (await this.#faulty("gateway_resume", bot)) return;
    const session = [...bot.sessions].find((candidate) => candidate.id === resume.sessionId);
    if (session === undefined) return this.send({ op: OP.invalid, d: false });
    if (resume.seq > session.seq) return this.close(4007, "Invalid seq.");
    // The old connection may not have noticed yet that its client is gone.
    const before = session.wire;
    this.#session = session;
    session.resume(this, resume.seq);
    if (before !== null && before !== this) before.cut();
    this.#parts.world.signals.changed();
  }

  /** Carries out a fault of identify or resume; true: the step is over. */
  async #faulty(step: GatewayStep, bot: BotRecord): Promise<boolean> {
    const fault = this.#parts.faults.take("read", { method: step, botId: bot.user.id });
    switch (fault?.kind) {
      case "close":
        this.close(fault.code, fault.reason);
        return true;
      case "op9":
        if (!fault.resumable) bot.sessions.clear();
        this.send({ op: OP.invalid, d: fault.resumable });
        return true;
      case "cutBefore":
        this.cut();
        return true;
      case "slow":
        await sleep(fault.ms);
        return false;
      default:
        return false;
    }
  }

  #closed(code: number): void {
    const session = this.#session;
    if (session === null) return;
    session.detach(this);
    // Gateway, disconnecting: a client that closes with 1000 or 1001 gives its session up.
    if ((code === 1000 || code === 1001) && session.wire === null) session.bot.sessions.delete(session);
    this.#parts.world.signals.changed();
  }
}
