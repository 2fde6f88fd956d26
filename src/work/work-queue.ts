/** What work is there to do. Each name has one handler. */
export type TaskName =
  | "turn"
  | "child-turn"
  | "command"
  | "long-command"
  | "deliver"
  | "run-timeout"
  | "archive"
  | "binding-expiry"
  | "admit-held"
  | "release"
  | "maintenance";

/** A slot of a task's concurrency, held while its handler runs. A handler that only waits gives it back meanwhile (TN-1). */
export interface Slot {
  /**
   * Runs `wait` without holding the slot; takes one again before it resolves. With `forGood` it takes none again: what is left
   * to do is only to store what was done, and must not queue behind the long work of others.
   */
  released<T>(wait: () => Promise<T>, options?: { readonly forGood: boolean }): Promise<T>;
}

export type TaskHandler = (key: string, slot: Slot, signal: AbortSignal) => Promise<void>;

/**
 * PORT: keyed work. Tasks with the same name and key run one at a time; enqueued again while running, they run once more;
 * enqueued while waiting, they are one. A handler that throws is tried again with backoff. At least once: handlers find out
 * from the store what there is to do, so a lost or doubled call harms nothing.
 */
export interface WorkQueue {
  handle(task: TaskName, handler: TaskHandler, options: { readonly concurrency: number }): void;
  /** `at`: not before that time, in milliseconds since the epoch. Durable timers are rows; this is how they are armed. */
  enqueue(task: TaskName, key: string, at?: number): void;
  /** Work waiting now, per task. */
  depth(task: TaskName): number;
  start(): void;
  /** Takes no new work, aborts the handlers' signal after `graceMs`, resolves when none runs. */
  stop(graceMs: number): Promise<void>;
}
