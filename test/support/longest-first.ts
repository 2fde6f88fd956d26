import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** What takes minutes, or waits most of its time: it begins first, so that nothing long runs alone at the end. */
const FIRST = [
  "faults/soak",
  "crash/",
  "docs/contributing",
  "faults/",
  "concurrency/",
  "guarantee/",
  "docs/commands",
  "isolation/",
  "fuzz/",
  "flows/",
  "e2e/",
  "adapters/",
];

/** Orders the files of a run; files of the same folder by what they took last time, or by size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

function rank(file: string): number {
  const [, inTests = file] = file.split("/test/");
  const at = FIRST.findIndex((folder) => inTests.startsWith(folder));
  return at < 0 ? FIRST.length : at;
}
