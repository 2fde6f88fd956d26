import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./pages.ts";

/** Every id of a case that a source file, a test or a page of the repository names. */
function namedCases(): ReadonlySet<string> {
  const files = ["src", "adapters", "config", "test", "bench", "docs"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|md|json5)$/.test(name) && name !== "field-cases.md")
      .map((name) => join(root, folder, name)),
  );
  return new Set(files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bFC-\d{3}\b/g)].map(([id]) => id)));
}

it("style: docs/field-cases.md has the rule of every case that the repository names, once", () => {
  const rows = [
    ...readFileSync(join(root, "docs/field-cases.md"), "utf8").matchAll(/^\| (FC-\d{3}) \| .{15,}\. \|$/gm),
  ];
  const listed = rows.map(([, id = ""]) => id);
  expect([...namedCases()].filter((id) => !listed.includes(id)).toSorted()).toEqual([]);
  expect(listed).toEqual([...new Set(listed)].toSorted());
});
