import { describe, expect, test } from "vitest";
import { pollUpdates } from "../../../adapters/telegram/gateway/polling.ts";
import { createPlatformClock } from "../../../src/channel/platform-clock.ts";

const MINUTE = 60_000;

function clocks(aheadMs: number) {
  const state = { real: Date.UTC(2026, 10, 3, 12), ahead: aheadMs };
  const skews: number[] = [];
  const platform = createPlatformClock({
    clock: { now: () => state.real + state.ahead },
    elapsed: () => state.real,
    onSkew: (ahead) => skews.push(Math.round(ahead / MINUTE)),
  });
  return {
    state,
    skews,
    platform,
    hear: () => platform.heard(new Date(state.real).toUTCString()),
    /** How wrong the platform's time is. */
    off: () => Math.abs(platform.now() - state.real),
  };
}

describe("FC-320: the platform's clock", () => {
  test.each([40 * MINUTE, -40 * MINUTE, 400 * 86_400_000])(
    "a machine that is %d ms ahead knows it by the first Date header",
    (ahead) => {
      const { platform, hear, off, state } = clocks(ahead);
      expect(platform.aheadMs()).toBe(0);
      hear();
      expect(off()).toBeLessThanOrEqual(500);
      state.real += 3_600_000;
      expect(off()).toBeLessThanOrEqual(500);
      expect(Math.abs(platform.at(state.real + state.ahead) - state.real)).toBeLessThanOrEqual(500);
    },
  );

  test("within a minute the machine's own clock is used, to the millisecond", () => {
    const { platform, hear, state } = clocks(59_000);
    hear();
    expect(platform.now()).toBe(state.real + 59_000);
    expect(platform.at(5)).toBe(5);
  });

  test("a machine whose clock is corrected is right from that moment, without another header", () => {
    const { state, hear, off, platform } = clocks(40 * MINUTE);
    hear();
    state.ahead = 0;
    expect(off()).toBeLessThanOrEqual(500);
    expect(platform.aheadMs()).toBe(0);
  });

  test("each change is told once: wrong, the other way round, right", () => {
    const { state, hear, skews } = clocks(0);
    for (const ahead of [0, 40, 41, 39, -10, -11, 0, 0]) {
      state.ahead = ahead * MINUTE;
      hear();
    }
    expect(skews).toEqual([40, -10, 0]);
  });

  test("what is no date changes nothing", () => {
    const { platform } = clocks(40 * MINUTE);
    for (const odd of [null, undefined, "", "yesterday", "0x"]) platform.heard(odd);
    expect(platform.aheadMs()).toBe(0);
  });

  test("what this machine noted before its clock was known is looked for from the earlier of both times", () => {
    const ahead = clocks(40 * MINUTE);
    ahead.hear();
    const noted = ahead.state.real + 40 * MINUTE;
    expect(ahead.platform.earliest(noted)).toBeLessThanOrEqual(ahead.state.real + 500);
    const behind = clocks(-40 * MINUTE);
    behind.hear();
    expect(behind.platform.earliest(noted)).toBe(noted);
  });
});

test("FC-320: with a Bot API server that sends no Date header, the first message of a quiet moment tells its clock", async () => {
  const { platform, state } = clocks(40 * MINUTE);
  const message = (id: number, ageMs: number) => ({
    update_id: id,
    message: { message_id: id, date: Math.floor((state.real - ageMs) / 1000), chat: { id: 1, type: "private" } },
  });
  // What waited says nothing about now; what comes while nothing waits has just been sent.
  const batches = [[message(1, 30 * MINUTE)], [], [message(2, 0)]];
  const seen: number[] = [];
  const stop = new AbortController();
  const api = {
    getUpdates: async () => {
      seen.push(platform.aheadMs());
      const batch = batches.shift();
      if (batch === undefined) stop.abort();
      return batch ?? [];
    },
  };
  await pollUpdates({
    api: api as never,
    intake: { take: async () => undefined },
    account: { channel: "telegram", accountId: "default" } as never,
    host: { platformClock: platform, log: console as never },
    health: { open: () => undefined, connection: () => undefined, unstored: () => undefined },
    signal: stop.signal,
  });
  expect(seen.slice(0, 3)).toEqual([0, 0, 0]);
  expect(Math.round((seen[3] ?? 0) / MINUTE)).toBe(40);
});
