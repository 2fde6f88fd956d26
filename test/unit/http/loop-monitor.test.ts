import { expect, test } from "vitest";
import { section } from "../../../src/core/instrument.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { startLoopMonitor } from "../../../src/http/metrics.ts";

interface Line {
  readonly delayMs: number;
  readonly cpuMs: number;
  readonly ran: readonly string[];
}

function keptLog(lines: Line[]): Logger {
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields) => void lines.push(fields as unknown as Line),
    error: () => undefined,
    child: () => log,
  };
  return log;
}

function computeFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const turnOfTheLoop = () => new Promise((resolve) => setTimeout(resolve, 1));

test("OP-15: a block of the event loop is measured and logged with the work that ran", async () => {
  const lines: Line[] = [];
  const delays: number[] = [];
  const monitor = startLoopMonitor({ log: keptLog(lines), onDelay: (ms) => delays.push(ms) });
  section("before the block", () => computeFor(15));
  section("render telegram", () => computeFor(450));
  while (lines.length === 0) await turnOfTheLoop();
  monitor.stop();
  const [line] = lines;
  expect(line?.delayMs).toBeGreaterThan(200);
  expect(line?.ran.some((name) => name.startsWith("render telegram "))).toBe(true);
  expect(line?.cpuMs).toBeGreaterThan(0);
  expect(Math.max(...delays)).toBeGreaterThan(200);
});

test("OP-15: once stopped it neither logs nor listens", async () => {
  const lines: Line[] = [];
  const monitor = startLoopMonitor({ log: keptLog(lines), onDelay: () => undefined });
  monitor.stop();
  section("render telegram", () => computeFor(400));
  await turnOfTheLoop();
  expect(lines).toEqual([]);
});

test("OP-15: a section passes on what its work returns and throws", () => {
  expect(section("a", () => 3)).toBe(3);
  expect(() =>
    section("b", () => {
      throw new Error("no");
    }),
  ).toThrow("no");
});
