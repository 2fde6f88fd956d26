import { describe, expect, it } from "vitest";
import { createPacer } from "../../../src/delivery/pacing.ts";
import { startTyping, type TypingOptions } from "../../../src/delivery/preview.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { silentLog } from "../../support/test-store.ts";
import { ChatAdapter } from "./chat-adapter.ts";
import { ManualTimers } from "./manual-timers.ts";
import { routeTo } from "./outbox.ts";

function typingOn(fails = false) {
  const clock = new FakeClock();
  const timers = new ManualTimers(clock);
  const calls: string[] = [];
  const call = async (name: string): Promise<void> => {
    calls.push(name);
    if (fails) throw new Error("no rights");
  };
  const adapter = new ChatAdapter("chat", "default", {
    typing: { renewMs: 4_000, start: () => call("start"), stop: () => call("stop") },
  });
  const start = (changes: Partial<TypingOptions> = {}) =>
    startTyping({
      account: { adapter, ready: true, pacing: true },
      route: routeTo("a"),
      pacer: createPacer(clock),
      clock,
      timers,
      log: silentLog,
      ...changes,
    });
  /** Lets time pass in small pieces, so that calls that ended count as ended. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 100) {
      timers.pass(Math.min(left, 100));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { calls, start, pass, timers };
}

describe("the typing indicator", () => {
  it("TN-10: shows after 300 ms, is renewed, and is cleared at the end", async () => {
    const { calls, start, pass, timers } = typingOn();
    const typing = start();
    await pass(200);
    expect(calls).toEqual([]);
    await pass(8_200);
    expect(calls).toEqual(["start", "start", "start"]);
    typing.stop();
    typing.stop();
    expect([calls.at(-1), calls.length, timers.size]).toEqual(["stop", 4, 0]);
  });

  it("TN-10: a quick turn shows none, and there is nothing to clear", async () => {
    const { calls, start, pass } = typingOn();
    start().stop();
    await pass(1_000);
    expect(calls).toEqual([]);
  });

  it("FC-157: it ends by itself when its owner forgets it", async () => {
    const { calls, start, pass, timers } = typingOn();
    start({ limitMs: 10_000 });
    await pass(30_000);
    expect(calls).toEqual(["start", "start", "start", "stop"]);
    expect(timers.size).toBe(0);
  });

  it("TN-10: its failures never matter", async () => {
    const { calls, start, pass } = typingOn(true);
    const typing = start();
    await pass(5_000);
    typing.stop();
    await pass(100);
    expect(calls).toEqual(["start", "start", "stop"]);
  });
});
