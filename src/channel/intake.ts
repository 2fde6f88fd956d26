import { StoreError } from "../core/errors.ts";
import { encodeId } from "../core/ids.ts";
import { UNSTORED } from "../core/texts/platforms/accounts.ts";
import { pause } from "../core/time.ts";
import type { AccountState, AdapterHost } from "./adapter.ts";
import { reconnectMs } from "./single-connection.ts";

/** An event that keeps failing is parked after this many tries (IN-3). */
const TRIES = 3;
const BETWEEN_TRIES_MS = 100;
/** Slack waits 3 s for an acknowledgement. One that comes later would hide that the platform sends the event again. */
export const ACKNOWLEDGE_MS = 2_500;

/** Thrown by a mapping that cannot read an event yet, because the platform did not answer a question about it. */
export class AskAgain extends Error {
  override readonly name: string = "AskAgain";
  /** How long the platform said to wait; null: it did not say. */
  readonly afterMs: number | null;

  constructor(message: string, afterMs: number | null) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** One event of a platform, with what its adapter knows about it. */
export interface Incoming<Stored> {
  /** The platform's own id of the event. It identifies an event that cannot be read. */
  readonly id: string;
  readonly raw: unknown;
  /** Reads the event and stores what it means. Called again after a failure, so it must be repeatable. */
  store(): Promise<Stored>;
  /** The identity the event has when it can be read; null: it stores nothing. May throw like `store`. */
  identity(): Promise<string | null>;
}

/** The way in that all adapters share (IN-3): store, or park, and only then acknowledge. */
export interface Intake {
  /**
   * Runs a job after every earlier job of its lane; lanes run side by side. `joinAs`: a job that waits under the same name is
   * joined, so that a burst of repeats is not kept in memory. Settles as the job does.
   */
  inOrder(lane: string, job: () => Promise<void>, joinAs?: string): Promise<void>;
  /**
   * Resolves when the event is stored, or with null when it is parked: only then it may be acknowledged. Trouble that passes
   * (the store, the platform) is waited out. Rejects only when the account was stopped before that.
   */
  take<Stored>(incoming: Incoming<Stored>): Promise<Stored | null>;
  /** Resolves when every job has settled. */
  idle(): Promise<void>;
}

export function createIntake(parts: {
  readonly channel: string;
  readonly botId: string;
  readonly host: Pick<AdapterHost, "park" | "log">;
  readonly health: Pick<Health, "unstored">;
  readonly signal: AbortSignal;
}): Intake {
  const { channel, botId, host, health, signal } = parts;
  const lanes = new Map<string, Promise<void>>();
  const joinable = new Map<string, Promise<void>>();

  function inOrder(lane: string, job: () => Promise<void>, joinAs?: string): Promise<void> {
    const same = joinAs === undefined ? undefined : joinable.get(joinAs);
    if (same !== undefined) return same;
    const before = lanes.get(lane) ?? Promise.resolve();
    const mine = before.then(job).finally(() => {
      if (joinAs !== undefined) joinable.delete(joinAs);
    });
    if (joinAs !== undefined) joinable.set(joinAs, mine);
    const done = mine
      .catch(() => undefined)
      .finally(() => {
        if (lanes.get(lane) === done) lanes.delete(lane);
      });
    lanes.set(lane, done);
    return mine;
  }

  async function take<Stored>(incoming: Incoming<Stored>): Promise<Stored | null> {
    let isWaiting = false;
    let failures = 0;
    let act: () => Promise<Stored | null> = incoming.store;
    try {
      for (let waits = 1; ; ) {
        if (signal.aborted) throw new Error("the account was stopped before an event was stored");
        try {
          return await act();
        } catch (error) {
          if (signal.aborted) throw error;
          if (error instanceof AskAgain) {
            await pause(error.afterMs ?? reconnectMs(waits++), signal);
          } else if (failures === TRIES || (error instanceof StoreError && error.retryable)) {
            // Nothing is wrong with the event, or it cannot even be parked: acknowledging it would lose it.
            if (!isWaiting) health.unstored(1);
            isWaiting = true;
            host.log.warn({ err: error, id: incoming.id }, "an event is not stored yet");
            await pause(reconnectMs(waits++), signal);
          } else {
            failures += 1;
            host.log.warn({ err: error, id: incoming.id, failures }, "an event could not be stored");
            if (failures === TRIES) act = () => park(incoming, error);
            else await pause(BETWEEN_TRIES_MS, signal);
          }
        }
      }
    } finally {
      if (isWaiting) health.unstored(-1);
    }
  }

  async function park(incoming: Incoming<unknown>, error: unknown): Promise<null> {
    const reason = error instanceof Error ? error.message : String(error);
    await host.park({ identity: await identityFor(incoming), error: reason, raw: rawText(incoming.raw) });
    return null;
  }

  async function identityFor({ id, identity }: Incoming<unknown>): Promise<string> {
    try {
      const known = await identity();
      if (known !== null) return known;
    } catch (error) {
      host.log.debug({ err: error, id }, "an event cannot be read");
    }
    return [channel, botId, "event", id].map(encodeId).join("/");
  }

  return {
    inOrder,
    take,
    async idle() {
      await Promise.all(lanes.values());
    },
  };
}

/** For the operator. What has no JSON (nested too deep, say) must not keep the event from being set aside. */
function rawText(raw: unknown): string {
  try {
    return JSON.stringify(raw) ?? "";
  } catch (error) {
    return String(error);
  }
}

/** Whether the work was done within the time a platform waits for an acknowledgement. Rejects when it failed within it. */
export async function inTime(work: Promise<void>, ms = ACKNOWLEDGE_MS): Promise<boolean> {
  const late = new AbortController();
  const timer = pause(ms, late.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), timer]);
  } finally {
    late.abort();
  }
}

/** What an account reports (CH-5): the state of its connection and of its store, as one state. */
export interface Health {
  /** From now on the account can send, so it may report `ready`. */
  open(): void;
  /** The state of the connection. After `failed` nothing else is reported: only the operator can help. */
  connection(state: Exclude<AccountState, "starting">, error?: string): void;
  /** One more event, or one fewer, waits for the store. */
  unstored(count: 1 | -1): void;
}

/**
 * Reports changes only, because `since` must mean something. Events may come a moment before the account can send; `ready`
 * waits for that, or what waits for `ready` would be sent too early.
 */
export function createHealth(host: Pick<AdapterHost, "report">): Health {
  let connection: { readonly state: AccountState; readonly error: string | undefined } | null = null;
  let waiting = 0;
  let last = "";
  let isOpen = false;

  function report(): void {
    if (connection === null || (connection.state === "ready" && !isOpen)) return;
    const isStuck = connection.state === "ready" && waiting > 0;
    const { state, error } = isStuck ? { state: "degraded" as const, error: UNSTORED } : connection;
    const now = `${state} ${error ?? ""}`;
    if (now === last) return;
    last = now;
    host.report(state, error);
  }

  return {
    open() {
      isOpen = true;
      report();
    },
    connection(state, error) {
      if (connection?.state === "failed") return;
      connection = { state, error };
      report();
    },
    unstored(count) {
      waiting += count;
      report();
    },
  };
}
