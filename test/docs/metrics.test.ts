import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMetrics } from "../../src/http/metrics.ts";
import { root } from "./pages.ts";

const rows = readFileSync(join(root, "docs/metrics.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `switchyard_") && line.split("|").length === 5);
const listed = rows.map((row) => /`(\w+)`/.exec(row)?.[1] ?? row).toSorted();

it("OP-8: docs/metrics.md lists every metric and no other", async () => {
  const text = await createMetrics().text();
  const served = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name = ""]) => name);
  expect(listed).toEqual(served.toSorted());
  expect(listed.length).toBeGreaterThan(10);
});

it("OP-8: every other mention of a metric on a page is one of that list", () => {
  const text = ["docs/metrics.md", "docs/spec/10-operations.md"]
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  const mentioned = [...text.matchAll(/\bswitchyard_\w+/g)].map(([name]) => name);
  expect(mentioned.filter((name) => !listed.includes(name))).toEqual([]);
});
