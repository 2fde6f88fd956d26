import { describe, expect, it } from "vitest";
import { createInProcessQueue } from "../../src/work/in-process.ts";
import { silentLog } from "../support/test-store.ts";

const realClock = { now: () => Date.now() };

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("the in-process work queue", () => {
  it("TN-1: tasks with one key run one at a time, and once more when enqueued while running", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    const log: string[] = [];
    const hold = gate();
    const done = gate();
    queue.handle(
      "turn",
      async (key) => {
        log.push(`begin ${key}`);
        if (log.length === 1) await hold.opened;
        log.push(`end ${key}`);
        if (log.length === 4) done.open();
      },
      { concurrency: 4 },
    );
    queue.start();
    queue.enqueue("turn", "a");
    queue.enqueue("turn", "a");
    queue.enqueue("turn", "a");
    expect(log).toEqual(["begin a"]);
    hold.open();
    await done.opened;
    expect(log).toEqual(["begin a", "end a", "begin a", "end a"]);
    await queue.stop(0);
  });

  it("TN-1, FC-116: a handler that waits holds no slot, so a limit of one cannot lock up", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    const inner = gate();
    const finished = gate();
    queue.handle(
      "child-turn",
      async (key, slot) => {
        if (key === "outer") {
          queue.enqueue("child-turn", "inner");
          await slot.released(() => inner.opened);
          finished.open();
        } else inner.open();
      },
      { concurrency: 1 },
    );
    queue.start();
    queue.enqueue("child-turn", "outer");
    await finished.opened;
    await queue.stop(0);
  });

  it("TN-1: a handler that only has to store its end takes no slot again, and its key still runs one at a time", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    const log: string[] = [];
    const [ended, long] = [gate(), gate()];
    queue.handle(
      "turn",
      async (key, slot) => {
        log.push(`begin ${key}`);
        if (key === "long") return long.opened;
        await slot.released(async () => queue.enqueue("turn", "long"), { forGood: true });
        await slot.released(() => Promise.resolve());
        log.push(`end ${key}`);
        if (log.filter((line) => line === "end first").length === 2) ended.open();
      },
      { concurrency: 1 },
    );
    queue.start();
    queue.enqueue("turn", "first");
    queue.enqueue("turn", "first");
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(["begin first", "begin long", "end first"]);
    long.open();
    await ended.opened;
    expect(log.slice(3)).toEqual(["begin first", "begin long", "end first"]);
    await queue.stop(0);
  });

  it("OP-9: a stop ends also when more handlers want their slot back than there are", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    let waiting = 0;
    const all = gate();
    queue.handle(
      "deliver",
      (_key, slot, signal) =>
        slot.released(async () => {
          waiting += 1;
          if (waiting === 3) all.open();
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        }),
      { concurrency: 1 },
    );
    queue.start();
    for (const key of ["a", "b", "c"]) queue.enqueue("deliver", key);
    await all.opened;
    await queue.stop(0);
    expect(waiting).toBe(3);
  });

  it("TN-1: no more handlers run at once than the task's concurrency", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    let running = 0;
    let most = 0;
    let left = 20;
    const done = gate();
    queue.handle(
      "turn",
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        left -= 1;
        if (left === 0) done.open();
      },
      { concurrency: 3 },
    );
    queue.start();
    for (let i = 0; i < 20; i += 1) queue.enqueue("turn", `k${i}`);
    await done.opened;
    expect(most).toBe(3);
    await queue.stop(0);
  });

  it("DL-4: work for later runs when it is due, and a handler that threw runs again", async () => {
    const queue = createInProcessQueue({ clock: realClock, log: silentLog });
    const calls: number[] = [];
    const done = gate();
    queue.handle(
      "deliver",
      async () => {
        calls.push(Date.now());
        if (calls.length === 1) throw new Error("first time fails");
        done.open();
      },
      { concurrency: 1 },
    );
    queue.start();
    const startedAt = Date.now();
    queue.enqueue("deliver", "x", startedAt + 50);
    await done.opened;
    expect(calls[0]).toBeGreaterThanOrEqual(startedAt + 49);
    expect(calls).toHaveLength(2);
    await queue.stop(0);
  });
});
