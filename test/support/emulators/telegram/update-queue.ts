import type { TelegramUpdate } from "@gramio/types/objects";
import { conflict, type Refusal, TERMINATED_BY_POLLER, TERMINATED_BY_WEBHOOK } from "./refusal.ts";

export type UpdateKind = Exclude<keyof TelegramUpdate, "update_id">;
type Payload = { [Kind in UpdateKind]?: TelegramUpdate[Kind] };

/** Withheld unless asked for by name (Bot API: getUpdates, allowed_updates). */
const ONLY_ON_REQUEST: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

interface OpenPoll {
  limit: number;
  answer: (updates: unknown[]) => void;
  refuse: (refusal: Refusal) => void;
  timer: NodeJS.Timeout;
}

export interface PollRequest {
  offset: number;
  limit: number;
  /** Seconds to wait for a first update. */
  timeout: number;
  /** Called with the function that withdraws this poll when its client goes away. */
  onOpen?: (withdraw: () => void) => void;
}

/** What becomes of a batch on its way: `due` are the next updates, `confirmed` the last ones an offset confirmed. */
export type Distortion = (due: readonly unknown[], confirmed: readonly unknown[]) => readonly unknown[];

/** So many confirmed updates are remembered, for batches that bring them again. */
const REMEMBERED = 3;

/** One bot's updates: numbered, kept until confirmed by an offset, read by polling or pushed to a webhook. */
export class UpdateQueue {
  #pending: { id: number; update: unknown }[] = [];
  #nextId: number;
  #allowed: ReadonlySet<string> | null = null;
  #open: OpenPoll | null = null;
  #onPush: (() => void) | null = null;
  readonly #distortions = new Set<Distortion>();
  #confirmed: { id: number; update: unknown }[] = [];

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get pending(): readonly { id: number; update: unknown }[] {
    return this.#pending;
  }

  get isPolled(): boolean {
    return this.#open !== null;
  }

  get allowedUpdates(): string[] | undefined {
    return this.#allowed === null ? undefined : [...this.#allowed];
  }

  /** An empty list restores the default, undefined keeps what was set before. Holds for later updates only. */
  allow(kinds: readonly string[] | undefined): void {
    if (kinds === undefined) return;
    this.#allowed = kinds.length === 0 ? null : new Set(kinds);
  }

  wants(kind: string): boolean {
    return this.#allowed === null ? !ONLY_ON_REQUEST.has(kind) : this.#allowed.has(kind);
  }

  /** Queues an update unless its kind is not allowed. Returns its id, or null. */
  push(payload: Payload): number | null {
    const [kind] = Object.keys(payload);
    if (kind === undefined || !this.wants(kind)) return null;
    const id = this.#nextId;
    this.#nextId += 1;
    this.#append({ id, update: { update_id: id, ...payload } });
    return id;
  }

  /** Queues exactly this object, whatever it is; an `update_id` is added when there is none. */
  pushRaw(update: Record<string, unknown>): number {
    const given = update.update_id;
    const id = typeof given === "number" ? given : this.#nextId;
    this.#nextId = Math.max(this.#nextId, id) + 1;
    this.#append({ id, update: { update_id: id, ...update } });
    return id;
  }

  #append(entry: { id: number; update: unknown }): void {
    this.#pending.push(entry);
    this.#answerOpen();
    this.#onPush?.();
  }

  /** What every batch goes through until the returned function is called; an open poll that gets nothing stays open. */
  distorts(distortion: Distortion): () => void {
    this.#distortions.add(distortion);
    return () => {
      this.#distortions.delete(distortion);
      this.#answerOpen();
    };
  }

  #batch(limit: number): unknown[] {
    let batch: readonly unknown[] = this.#pending.slice(0, limit).map((entry) => entry.update);
    const confirmed = this.#confirmed.map((entry) => entry.update);
    for (const distortion of this.#distortions) if (batch.length > 0) batch = distortion(batch, confirmed);
    return [...batch];
  }

  #answerOpen(): void {
    const open = this.#open;
    if (open === null) return;
    const batch = this.#batch(open.limit);
    if (batch.length === 0) return;
    this.#close(open);
    open.answer(batch);
  }

  #close(open: OpenPoll): void {
    clearTimeout(open.timer);
    if (this.#open === open) this.#open = null;
  }

  /** Forgets what is confirmed: everything below `offset`, or all but the last `-offset` when negative. */
  confirm(offset: number): void {
    if (offset === 0) return;
    const first = this.#pending.length + offset;
    const isConfirmed = (entry: { id: number }, at: number): boolean => (offset < 0 ? at < first : entry.id < offset);
    this.#confirmed = [...this.#confirmed, ...this.#pending.filter(isConfirmed)].slice(-REMEMBERED);
    this.#pending = this.#pending.filter((entry, at) => !isConfirmed(entry, at));
  }

  /** getUpdates. An older open poll of the same bot is terminated with 409. */
  poll(request: PollRequest): Promise<unknown[]> {
    this.#terminate(TERMINATED_BY_POLLER);
    this.confirm(request.offset);
    const batch = this.#batch(request.limit);
    if (batch.length > 0 || request.timeout === 0) return Promise.resolve(batch);
    return new Promise((answer, refuse) => {
      const open: OpenPoll = {
        limit: request.limit,
        answer,
        refuse,
        timer: setTimeout(() => {
          this.#close(open);
          answer([]);
        }, request.timeout * 1000),
      };
      this.#open = open;
      request.onOpen?.(() => this.#close(open));
    });
  }

  #terminate(reason: string): void {
    const open = this.#open;
    if (open === null) return;
    this.#close(open);
    open.refuse(conflict(reason));
  }

  terminateForWebhook(): void {
    this.#terminate(TERMINATED_BY_WEBHOOK);
  }

  /** Drops an open poll without an answer (the server stops). */
  abandon(): void {
    if (this.#open !== null) this.#close(this.#open);
  }

  /** Removes one update that a webhook has taken. */
  settle(id: number): void {
    this.#pending = this.#pending.filter((entry) => entry.id !== id);
  }

  clear(): void {
    this.#pending = [];
  }

  onPush(listener: (() => void) | null): void {
    this.#onPush = listener;
  }
}
