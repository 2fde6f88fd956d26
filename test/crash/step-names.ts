import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** The names of all steps of the store, in order, read from where they are defined. */
export function stepNames(): readonly string[] {
  return globSync(`${SRC}/**/*.ts`)
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bdefineStep\(\s*"([a-z-]+)"/g)])
    .map(([, name = ""]) => name)
    .sort();
}
