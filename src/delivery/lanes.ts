/** Bounds how many things of one name run at once; who comes first goes first. */
export interface Lanes {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * One bound per name: an account whose platform hangs fills its own lane and no other, so that one blocked conversation
 * never delays another account's (DL-4).
 */
export function createLanes(perName: number): Lanes {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const enter = (name: string): Promise<void> | null => {
    const active = running.get(name) ?? 0;
    if (active < perName) {
      running.set(name, active + 1);
      return null;
    }
    return new Promise((resolve) => {
      const queue = waiting.get(name) ?? [];
      queue.push(resolve);
      waiting.set(name, queue);
    });
  };

  const leave = (name: string): void => {
    // The place is handed on, not given back: nobody who comes later can take it in between.
    const next = waiting.get(name)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    waiting.delete(name);
    const active = (running.get(name) ?? 1) - 1;
    if (active === 0) running.delete(name);
    else running.set(name, active);
  };

  return {
    async run(name, work) {
      await enter(name);
      try {
        return await work();
      } finally {
        leave(name);
      }
    },
  };
}
