import { isStoreTrouble } from "../core/errors.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { backoffMs } from "../core/time.ts";
import type { Slot, TaskHandler, TaskName, WorkQueue } from "./work-queue.ts";

/** Backoff of a handler that threw: it doubles from one second and stays at a minute. */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** With the store away nothing goes on, and looking again costs next to nothing: work resumes soon after it is back (OP-10). */
const MAX_STORE_BACKOFF_MS = 4_000;

interface Lane {
  readonly handler: TaskHandler;
  readonly concurrency: number;
  /** Keys that wait for a slot, in order of arrival; a key is in it at most once. */
  readonly waiting: Set<string>;
  readonly running: Set<string>;
  /** Enqueued again while running: runs once more. */
  readonly again: Set<string>;
  readonly failures: Map<string, number>;
  /** Handlers that gave their slot back for a while and want one again; they go first. */
  readonly returning: (() => void)[];
  held: number;
}

/** The work queue of one process: lanes by key, fed from the inbox, the outbox and the timers (OP-11 has the other one). */
export function createInProcessQueue({ clock, log }: { clock: Clock; log: Logger }): WorkQueue {
  const lanes = new Map<TaskName, Lane>();
  const abort = new AbortController();
  const active = new Set<Promise<void>>();
  let started = false;
  let stopping = false;

  const timers = createTimerHeap(clock, ({ task, key }) => add(task, key));

  function laneOf(task: TaskName): Lane {
    const lane = lanes.get(task);
    if (lane === undefined) throw new Error(`no handler for task "${task}"`);
    return lane;
  }

  function add(task: TaskName, key: string): void {
    const lane = laneOf(task);
    if (lane.running.has(key)) lane.again.add(key);
    else lane.waiting.add(key);
    fill(task, lane);
  }

  function fill(task: TaskName, lane: Lane): void {
    if (!started) return;
    while (lane.held < lane.concurrency) {
      // Also while it stops: a handler that waits for its slot could not end, and the stop would wait for it for ever.
      const back = lane.returning.shift();
      if (back !== undefined) {
        lane.held += 1;
        back();
        continue;
      }
      if (stopping) return;
      const [key] = lane.waiting;
      if (key === undefined) return;
      lane.waiting.delete(key);
      const work = run(task, lane, key);
      active.add(work);
      void work.finally(() => active.delete(work));
    }
  }

  async function run(task: TaskName, lane: Lane, key: string): Promise<void> {
    lane.running.add(key);
    lane.held += 1;
    const place = { left: false };
    try {
      await lane.handler(key, slotOf(task, lane, place), abort.signal);
      lane.failures.delete(key);
    } catch (error) {
      retryLater(task, lane, key, error);
    } finally {
      lane.running.delete(key);
      if (!place.left) lane.held -= 1;
      if (lane.again.delete(key)) lane.waiting.add(key);
      fill(task, lane);
    }
  }

  function retryLater(task: TaskName, lane: Lane, key: string, error: unknown): void {
    if (stopping) return;
    const failures = (lane.failures.get(key) ?? 0) + 1;
    lane.failures.set(key, failures);
    const longestMs = isStoreTrouble(error) ? MAX_STORE_BACKOFF_MS : MAX_BACKOFF_MS;
    const delay = backoffMs({ firstMs: FIRST_BACKOFF_MS, longestMs }, failures);
    log.error({ work: task, key, failures, retryInMs: delay, err: error }, "work failed and will be tried again");
    timers.add({ task, key, at: clock.now() + delay });
  }

  async function take(lane: Lane): Promise<void> {
    if (lane.held < lane.concurrency) lane.held += 1;
    else await new Promise<void>((resolve) => lane.returning.push(resolve));
  }

  function slotOf(task: TaskName, lane: Lane, place: { left: boolean }): Slot {
    return {
      released: async (wait, { forGood } = { forGood: false }) => {
        if (place.left) return wait();
        lane.held -= 1;
        place.left = forGood;
        fill(task, lane);
        try {
          return await wait();
        } finally {
          if (!forGood) await take(lane);
        }
      },
    };
  }

  return {
    handle: (task, handler, { concurrency }) => {
      lanes.set(task, {
        handler,
        concurrency,
        waiting: new Set(),
        running: new Set(),
        again: new Set(),
        failures: new Map(),
        returning: [],
        held: 0,
      });
    },
    enqueue: (task, key, at) => {
      if (at !== undefined && at > clock.now()) timers.add({ task, key, at });
      else add(task, key);
    },
    depth: (task) => laneOf(task).waiting.size,
    start: () => {
      started = true;
      for (const [task, lane] of lanes) fill(task, lane);
    },
    stop: async (graceMs) => {
      stopping = true;
      timers.clear();
      const done = Promise.allSettled([...active]);
      const grace = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        void done.then(() => clearTimeout(timer)).then(resolve);
      });
      await grace;
      abort.abort();
      await done;
    },
  };
}

export interface TimedWork {
  readonly task: TaskName;
  readonly key: string;
  readonly at: number;
}

/**
 * How long it goes without looking at the clock: `setTimeout` counts the time the machine was awake, and a machine that slept
 * or whose clock was set must not be late by hours with what is due by the clock.
 */
const MAX_DELAY_MS = 30_000;

/**
 * Work for later: one operating-system timer for all of it. Several entries of one key are allowed; a handler that is called
 * too early or twice finds nothing due. When the machine's clock is set back the entries move with it: a wait must not grow by
 * what was corrected.
 */
export function createTimerHeap(
  clock: Clock,
  fire: (work: TimedWork) => void,
): { add(work: TimedWork): void; clear(): void } {
  const heap: TimedWork[] = [];
  let timer: NodeJS.Timeout | null = null;
  let seen = clock.now();

  function present(): number {
    const now = clock.now();
    const back = seen - now;
    // All by the same, so their order stays.
    if (back > 0) for (const [index, work] of heap.entries()) heap[index] = { ...work, at: work.at - back };
    seen = now;
    return now;
  }

  function arm(): void {
    if (timer !== null) clearTimeout(timer);
    const now = present();
    const [next] = heap;
    timer = next === undefined ? null : setTimeout(ring, Math.min(MAX_DELAY_MS, Math.max(0, next.at - now)));
    timer?.unref();
  }

  function ring(): void {
    for (let next = heap[0]; next !== undefined && next.at <= present(); next = heap[0]) {
      pop(heap);
      fire(next);
    }
    arm();
  }

  return {
    add: (work) => {
      present();
      push(heap, work);
      if (heap[0] === work) arm();
    },
    clear: () => {
      heap.length = 0;
      arm();
    },
  };
}

function push(heap: TimedWork[], work: TimedWork): void {
  heap.push(work);
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if (!swapIfLater(heap, parent, at)) return;
    at = parent;
  }
}

function pop(heap: TimedWork[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    const right = left + 1;
    const child = right < heap.length && dueAt(heap, right) < dueAt(heap, left) ? right : left;
    if (child >= heap.length || !swapIfLater(heap, at, child)) return;
    at = child;
  }
}

function dueAt(heap: readonly TimedWork[], index: number): number {
  return heap[index]?.at ?? Number.POSITIVE_INFINITY;
}

/** Swaps a parent with its child when the parent is due later; true when it did. */
function swapIfLater(heap: TimedWork[], parent: number, child: number): boolean {
  const above = heap[parent];
  const below = heap[child];
  if (above === undefined || below === undefined || above.at <= below.at) return false;
  heap[parent] = below;
  heap[child] = above;
  return true;
}
