import type { Timers } from "../../../src/core/time.ts";
import type { FakeClock } from "../../support/fake-clock.ts";

/** Timers that run only when a test lets time pass, in the order in which they are due. */
export class ManualTimers implements Timers {
  readonly #clock: FakeClock;
  #waiting: { readonly at: number; readonly run: () => void }[] = [];

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.#clock.now() + ms, run };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  get size(): number {
    return this.#waiting.length;
  }

  pass(ms: number): void {
    const until = this.#clock.now() + ms;
    for (;;) {
      const next = this.#waiting.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#waiting = this.#waiting.filter((entry) => entry !== next);
      this.#clock.advance(Math.max(0, next.at - this.#clock.now()));
      next.run();
    }
    this.#clock.advance(until - this.#clock.now());
  }
}
