interface Waiter {
  check: () => void;
}

export interface WaitOptions {
  /** Milliseconds until the wait fails. Default 15,000: the machine may be busy. */
  within?: number;
  /** What is waited for, for the error's text. */
  what?: string;
}

/** Wakes whoever waits for a state of the emulated world. Every change of the world calls `changed`. */
export class Signals {
  readonly #waiters = new Set<Waiter>();

  changed(): void {
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  /** Resolves with the first value of `look` that is not undefined; looks now and after every change. */
  until<T>(look: () => T | undefined, options: WaitOptions = {}): Promise<T> {
    const within = options.within ?? 15_000;
    return new Promise<T>((resolve, reject) => {
      const finish = (act: () => void): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        act();
      };
      const waiter: Waiter = {
        check: () => {
          try {
            const value = look();
            if (value !== undefined) finish(() => resolve(value));
          } catch (error) {
            finish(() => reject(error instanceof Error ? error : new Error(String(error))));
          }
        },
      };
      const timer = setTimeout(() => {
        finish(() => reject(new Error(`waited ${within} ms in vain for ${options.what ?? "the awaited state"}`)));
      }, within);
      this.#waiters.add(waiter);
      waiter.check();
    });
  }
}
