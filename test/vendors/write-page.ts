import { writeFile } from "node:fs/promises";
import { matrixPage } from "./page.ts";
import { playMatrix } from "./play.ts";

await writeFile(new URL("../../docs/reference/vendor-matrix.md", import.meta.url), matrixPage(await playMatrix()));
