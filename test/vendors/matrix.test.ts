import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { matrixPage } from "./page.ts";
import { playMatrix } from "./play.ts";

test("FC-301, FC-302, FC-303, FC-304, FC-307: every server answers every conversation, and the page says what is left out", {
  timeout: 60_000,
}, async () => {
  const cells = await playMatrix();
  const failures = cells.filter(({ failure }) => failure !== null);
  expect(failures.map(({ vendor, conversation, failure }) => `${vendor.name}, ${conversation}: ${failure}`)).toEqual(
    [],
  );
  const written = await readFile(new URL("../../docs/reference/vendor-matrix.md", import.meta.url), "utf8");
  expect(written, "run: npm run generate").toBe(matrixPage(cells));
});
