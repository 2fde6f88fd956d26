import { defineConfig } from "vitest/config";

/** What runs in under a minute: pure parts and contracts, without PostgreSQL, browser or killed processes. `npm test` runs all. */
export default defineConfig({
  test: {
    include: [
      "test/architecture.test.ts",
      "test/{unit,contracts,properties}/**/*.test.ts",
      "test/adapters/*/contract.test.ts",
    ],
    reporters: ["default", "./test/support/summary-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    isolate: false,
  },
});
