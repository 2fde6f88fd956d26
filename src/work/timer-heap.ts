import type { Clock } from "../core/runtime.ts";
import type { TaskName } from "./work-queue.ts";

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
