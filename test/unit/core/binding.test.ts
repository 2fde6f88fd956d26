import { describe, expect, it } from "vitest";
import { bindingExpiry } from "../../../src/core/session/run.ts";
import { durationText, readDuration, roughDuration } from "../../../src/core/time.ts";

describe("how long a binding lives", () => {
  it.each([
    ["never", { idleMs: 0, maxAgeMs: 0 }, null],
    ["by idling", { idleMs: 10, maxAgeMs: 0 }, { at: 60, why: "idle" }],
    ["by its age, whatever is written", { idleMs: 0, maxAgeMs: 30 }, { at: 30, why: "max_age" }],
    ["by what comes first", { idleMs: 10, maxAgeMs: 30 }, { at: 30, why: "max_age" }],
    ["by what comes first", { idleMs: 10, maxAgeMs: 100 }, { at: 60, why: "idle" }],
  ] as const)("TB-4, FC-046: ends %s", (_how, limits, expiry) => {
    expect(bindingExpiry({ ...limits, createdAt: 0, lastActivity: 50 })).toEqual(expiry);
  });
});

describe("durations as people type and read them", () => {
  it.each([
    ["90s", 90_000],
    ["15m", 900_000],
    [" 2 H ", 7_200_000],
    ["1.5h", 5_400_000],
    ["1d", 86_400_000],
    ["15", null],
    ["-1h", null],
    ["soon", null],
  ] as const)("TB-5: %s", (text, ms) => expect(readDuration(text)).toBe(ms));

  it("CM-9: is said in the unit one thinks in", () => {
    expect([1_000, 900_000, 5_400_000, 86_400_000, 172_800_000].map(durationText)).toEqual([
      "1 s",
      "15 min",
      "90 min",
      "24 h",
      "2 days",
    ]);
    expect([86_340_000, 86_400_000 * 2.4, 3_000_000].map(roughDuration)).toEqual(["24 h", "2 days", "50 min"]);
  });
});
