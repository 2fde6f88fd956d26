import type { Reporter, TestModule } from "vitest/node";

/** Closes a run with one plain line, `N passed, N failed`, that any tool can read. A file that could not be loaded counts as failed; a test that needed a second try is named. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    const onSecondTry: string[] = [];
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky === true) onSecondTry.push(`${module.relativeModuleId}: ${test.name}`);
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
    }
    const tail = skipped > 0 ? `, ${skipped} skipped` : "";
    for (const name of onSecondTry) process.stdout.write(`\npassed only on the second try: ${name}`);
    process.stdout.write(`\n${passed} passed, ${failed} failed${tail}\n`);
  }
}
