import { defineConfig } from "vitest/config";
import LongestFirst from "./test/support/longest-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    reporters: [process.env.CI === undefined ? "default" : "dot", "./test/support/summary-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    // No module has state (the architecture test sees to it), so files share a process: half of the processor's time was loading.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A shared machine stalls at times; the summary names whatever passed only on its second try, so that nothing hides.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
