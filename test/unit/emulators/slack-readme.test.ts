import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { IMPLEMENTED_METHODS } from "../../support/emulators/slack/method-names.ts";

const emulators = fileURLToPath(new URL("../../support/emulators/", import.meta.url));
const folder = join(emulators, "slack");

/** Every error name in the sources: refused with directly, handed to a finder, or listed for missing arguments. */
function errorNames(): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((name) => {
    const source = readFileSync(join(folder, name), "utf8");
    const direct = [...source.matchAll(/(?:refused|new Refusal)\(\s*(?:name === "blocks" \? )?"([a-z_]+)"/g)];
    const handed = [...source.matchAll(/ownMessage\(context, stored, "([a-z_]+)"\)|error = "([a-z_]+)"/g)];
    const listed = name === "request-schema.ts" ? [...source.matchAll(/^ {2}\w+: "([a-z_]+)",$/gm)] : [];
    return [...direct, ...handed, ...listed].map((match) => match[1] ?? match[2] ?? "");
  });
}

test("every refusal of the Slack emulator is in the README's table", () => {
  const readme = readFileSync(join(emulators, "README.md"), "utf8");
  const names = [...new Set(errorNames())];
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test("every implemented method has its schema", () => {
  const schema = JSON.parse(readFileSync(join(folder, "web-api.schema.json"), "utf8")) as { methods: object };
  expect(Object.keys(schema.methods).sort()).toEqual([...IMPLEMENTED_METHODS].sort());
});
