import type { BotRecord } from "../records.ts";

/** One frame of the gateway, as JSON travels. */
export interface Frame {
  op: number;
  d?: unknown;
  s?: number | null;
  t?: string | null;
}

/** Where a session's frames go; gone while the client is away. */
export interface Wire {
  send: (frame: Frame) => void;
  close: (code: number, reason?: string) => void;
  /** Cuts the connection without a close frame. */
  cut: () => void;
  /** Op 9: the client has to resume or identify again, on this connection or another. */
  invalidate: (resumable: boolean) => void;
  /** Stops acknowledging and sending; `halfOpen`: reads nothing any more, not even a close frame. */
  zombify: (halfOpen: boolean) => void;
}

/** How many events a session keeps for a resume. */
const KEPT_EVENTS = 10_000;

/** What one client has identified for: its intents, its shard, and the numbered events it got or still has to get. */
export class GatewaySession {
  readonly id: string;
  readonly bot: BotRecord;
  readonly intents: number;
  readonly shard: readonly [number, number];
  #wire: Wire | null;
  #seq = 0;
  #events: Frame[] = [];
  /** The highest number the client has said to have received, by heartbeat or resume. */
  #heard = 0;

  constructor(parts: { id: string; bot: BotRecord; intents: number; shard: readonly [number, number]; wire: Wire }) {
    this.id = parts.id;
    this.bot = parts.bot;
    this.intents = parts.intents;
    this.shard = parts.shard;
    this.#wire = parts.wire;
  }

  get wire(): Wire | null {
    return this.#wire;
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  get heard(): number {
    return this.#heard;
  }

  hears(seq: number | null): void {
    if (seq !== null) this.#heard = Math.max(this.#heard, seq);
  }

  /** Whether events of this guild (null: direct messages and the like) come over this session's shard. */
  covers(guildId: string | null): boolean {
    const [index, count] = this.shard;
    return guildId === null ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
  }

  /** Numbers an event, keeps it, and sends it if the client is there. */
  dispatch(t: string, d: unknown): void {
    let goes = (): void => this.#number(t, d);
    for (const distortion of this.bot.distortions) {
      const next = goes;
      goes = () => distortion(t, next);
    }
    goes();
  }

  #number(t: string, d: unknown): void {
    this.#seq += 1;
    const frame = { op: 0, t, s: this.#seq, d };
    this.#events.push(frame);
    if (this.#events.length > KEPT_EVENTS * 2) this.#events.splice(0, this.#events.length - KEPT_EVENTS);
    this.#wire?.send(frame);
  }

  /** The client went away; events are kept. */
  detach(wire: Wire): void {
    if (this.#wire === wire) this.#wire = null;
  }

  /** The client is back: everything after `seq` again, then RESUMED. */
  resume(wire: Wire, seq: number): void {
    this.#wire = wire;
    this.hears(seq);
    const missed = this.#events.filter((event) => (event.s ?? 0) > seq);
    if (this.bot.partialReplays > 0 && missed.length > 0) {
      this.bot.partialReplays -= 1;
      for (const event of missed.slice(0, Math.ceil(missed.length / 2))) wire.send(event);
      wire.close(4000, "Unknown error.");
      return;
    }
    for (const event of missed) wire.send(event);
    this.dispatch("RESUMED", {});
  }
}
