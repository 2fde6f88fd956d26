import type { World } from "./world.ts";

export type PayloadKind = "events_api" | "slash_commands" | "interactive";

/** One try at bringing a payload to an app. */
export interface Attempt {
  kind: PayloadKind;
  payload: Record<string, unknown>;
  /** 0 for the first try. */
  retry: number;
  retryReason: FailureReason | null;
}

export type FailureReason = "timeout" | "http_error" | "connection_failed";

export type AttemptResult =
  | { ok: true; response: Record<string, unknown> }
  /** `noRetry`: the app asked not to be tried again. */
  | { ok: false; reason: FailureReason; noRetry?: boolean };

/** An event on its way to an app. */
export interface PendingEvent {
  eventId: string;
  payload: Record<string, unknown>;
  tries: number;
  state: "trying" | "waiting" | "delivered" | "dropped";
  lastFailure: FailureReason | null;
}

export interface QueueOptions {
  /** Delay before each retry, milliseconds; after the last the event is dropped. */
  retryDelaysMs: readonly number[];
  send: (attempt: Attempt) => Promise<AttemptResult>;
}

/** Called with what brings an event on its way; it may do so at once or later. */
export type Distortion = (goes: () => void) => void;

/** Brings events to one app: at once, side by side, and again when they are not acknowledged in time. */
export class DeliveryQueue {
  readonly #world: World;
  readonly #options: QueueOptions;
  readonly #timers = new Map<PendingEvent, NodeJS.Timeout>();
  readonly #events: PendingEvent[] = [];
  #paused = false;
  readonly #distortions = new Set<Distortion>();
  #lostAcks = 0;

  constructor(world: World, options: QueueOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Every event so far, oldest first. */
  get events(): readonly PendingEvent[] {
    return this.#events;
  }

  /** Events neither delivered nor dropped. */
  get pending(): number {
    return this.#events.filter((event) => event.state === "trying" || event.state === "waiting").length;
  }

  push(payload: Record<string, unknown>, eventId: string): void {
    const event: PendingEvent = { eventId, payload, tries: 0, state: "waiting", lastFailure: null };
    this.#events.push(event);
    let goes = (): void => {
      if (!this.#paused && event.state === "waiting" && event.tries === 0) void this.#try(event);
    };
    for (const distortion of this.#distortions) {
      const next = goes;
      goes = () => distortion(next);
    }
    goes();
  }

  /** What the first try of every new event goes through until the returned function is called. */
  distorts(distortion: Distortion): () => void {
    this.#distortions.add(distortion);
    return () => this.#distortions.delete(distortion);
  }

  /** So many acknowledgements to come are lost on their way: their events are brought again. */
  losesAcks(count: number): void {
    this.#lostAcks = count;
  }

  /** Drops what has not arrived, as the platform does when an app is away too long. */
  drop(): void {
    for (const event of this.#events) if (event.state !== "delivered") event.state = "dropped";
    this.#clearTimers();
  }

  /** The platform is down: nothing is tried. */
  pause(): void {
    this.#paused = true;
    this.#clearTimers();
  }

  resume(): void {
    this.#paused = false;
    for (const event of this.#events) if (event.state === "waiting") this.#later(event);
  }

  #clearTimers(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #try(event: PendingEvent): Promise<void> {
    this.#timers.delete(event);
    event.state = "trying";
    event.tries += 1;
    const tried = await this.#options.send({
      kind: "events_api",
      payload: event.payload,
      retry: event.tries - 1,
      retryReason: event.lastFailure,
    });
    if (event.state !== "trying") return;
    const isLost = tried.ok && this.#lostAcks > 0;
    if (isLost) this.#lostAcks -= 1;
    const result: AttemptResult = isLost ? { ok: false, reason: "timeout" } : tried;
    if (result.ok) event.state = "delivered";
    else {
      event.lastFailure = result.reason;
      if (result.noRetry === true || event.tries > this.#options.retryDelaysMs.length) event.state = "dropped";
      else {
        event.state = "waiting";
        if (!this.#paused) this.#later(event);
      }
    }
    this.#world.signals.changed();
  }

  #later(event: PendingEvent): void {
    const { retryDelaysMs } = this.#options;
    const delay = retryDelaysMs[Math.max(0, event.tries - 1)] ?? 0;
    this.#timers.set(
      event,
      setTimeout(() => void this.#try(event), delay),
    );
  }
}
