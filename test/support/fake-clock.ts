import type { Clock } from "../../src/core/runtime.ts";

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}
