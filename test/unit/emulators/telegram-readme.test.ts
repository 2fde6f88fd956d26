import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const emulators = fileURLToPath(new URL("../../support/emulators/", import.meta.url));

/** The fixed beginning of every refusal's text in the sources. */
function refusalTexts(): string[] {
  const folder = join(emulators, "telegram");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const texts = files.flatMap((name) => {
    const source = readFileSync(join(folder, name), "utf8");
    // Up to the end of the string, or to where something is put in.
    return [...source.matchAll(/(?:badRequest|forbidden|cannotParse)\(\s*(["`])((?:(?!\1)[^$])*)/g)];
  });
  return texts.map((match) => (match[2] ?? "").replace(/[:\s"'(]+$/, "")).filter((text) => text !== "");
}

test("every refusal of the Telegram emulator is in the README's table", () => {
  const readme = readFileSync(join(emulators, "README.md"), "utf8");
  const texts = refusalTexts();
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.filter((text) => !readme.includes(text.split(" at byte")[0] ?? text))).toEqual([]);
});
