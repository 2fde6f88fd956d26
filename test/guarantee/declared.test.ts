import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CELLS, sceneOf } from "./cells.ts";

it("DL-15: each cell of the guarantee table that applies is a test, once", () => {
  const page = new URL("../../docs/reference/delivery-guarantee-table.md", import.meta.url);
  const named = [...readFileSync(page, "utf8").matchAll(/^\| `(DL-15: [^`]+)`/gm)].map(([, name = ""]) => name);
  expect(new Set(named).size).toBe(named.length);
  expect(named.toSorted()).toEqual(CELLS.map(({ name }) => name).toSorted());
  for (const cell of CELLS) if (cell.channel !== "web") expect(sceneOf(cell).does.name).not.toBe("");
});
