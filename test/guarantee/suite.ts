import { describe, expect, test } from "vitest";
import { TOO_LATE } from "../../src/core/texts/platforms/accounts.ts";
import { fits } from "../crash/case.ts";
import type { Channel } from "../crash/stage.ts";
import { CELLS, type Cell } from "./cells.ts";
import { runPlatform } from "./phases.ts";
import type { Outcome } from "./scene-run.ts";

/** The cells of one platform: all are gone at once, a test looks at one of them. */
export function guaranteeTests(channel: Channel): void {
  describe(`the guarantee on ${channel}`, () => {
    const cells = CELLS.filter((cell) => cell.channel === channel);
    const run = runPlatform(channel, cells);
    // Each test that looks at it fails with its error.
    run.catch(() => undefined);

    test.each(cells)("$name", { timeout: 300_000 }, async (cell) => {
      const outcome = (await run).get(cell);
      if (outcome === undefined) throw new Error("no phase brings this fault about");
      // Otherwise it proves nothing.
      expect(outcome.hits).toBeGreaterThan(0);
      expect(outcome.meanwhile).toEqual([]);
      expect(outcome.deliveries).not.toContain("pending");
      holds(cell, outcome);
    });
  });
}

function holds({ holds: promise, kind }: Cell, { lost, extra, reads, inOrder, deliveries }: Outcome): void {
  switch (promise) {
    case "exactly once":
      expect({ lost, extra, deliveries: deliveries.filter((state) => state === "failed") }).toEqual({
        lost: [],
        extra: [],
        deliveries: [],
      });
      expect(kind === "thread" || inOrder).toBe(true);
      break;
    case "best effort":
      // The mark may be missing or stay; the answer is whole.
      expect({ lost, extra }).toEqual({ lost: [], extra: [] });
      break;
    case "a line instead":
      // Where the answer came through after all, the line is one more.
      expect([...extra, ...(lost.length === 0 ? [] : reads)].length).toBeLessThanOrEqual(1 + reads.length);
      expect(extra.filter((text) => text !== TOO_LATE)).toEqual([]);
      expect(lost.length === 0 || extra.length === 1).toBe(true);
      break;
    case "at least once, labelled":
      expect(lost).toEqual([]);
      expect(extra.filter((text) => !reads.some((wanted) => fits(text, wanted)))).toEqual([]);
      break;
    case "at most once":
      expect(lost.length).toBeGreaterThan(0);
      // What stands there is the beginning of a streamed answer.
      expect(extra.filter((text) => !reads.some((wanted) => startOf(text, wanted)))).toEqual([]);
      expect(deliveries).toContain("failed");
      break;
  }
}

function startOf(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" && wanted.startsWith(text.replace(/\W+$/, ""));
}
