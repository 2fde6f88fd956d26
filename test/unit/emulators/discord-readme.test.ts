import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const emulators = fileURLToPath(new URL("../../support/emulators/", import.meta.url));

/** Codes and the fixed beginning of the words of every refusal in the sources. */
function refusals(): { code: string; words: string }[] {
  const folder = join(emulators, "discord");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((name) => {
    const source = readFileSync(join(folder, name), "utf8");
    const made = source.matchAll(
      /(?:badRequest|forbidden|notFound|new Refusal)\((?:\d+, )?(\d+), (["`])((?:(?!\2)[^$])*)/g,
    );
    const complaints = source.matchAll(/\bcode(?::| =) "([A-Z_0-9]+)"/g);
    return [
      ...[...made].map((match) => ({ code: match[1] ?? "", words: (match[3] ?? "").replace(/[\s(]+$/, "") })),
      ...[...complaints].map((match) => ({ code: match[1] ?? "", words: "" })),
    ];
  });
}

/** Complaints of the schema's keywords: the README names some and says where the others come from. */
const OF_THE_SCHEMA = /^(BASE_TYPE|STRING_TYPE|NUMBER_TYPE|BOOLEAN_TYPE|MODEL_TYPE|LIST_TYPE|URL_TYPE)_/;

test("every refusal of the Discord emulator is in the README's table", () => {
  const readme = readFileSync(join(emulators, "README.md"), "utf8");
  const all = refusals().filter(({ code }) => !OF_THE_SCHEMA.test(code));
  expect(all.length).toBeGreaterThan(40);
  const missing = all.filter(({ code, words }) => !(code === "0" || readme.includes(code)) || !readme.includes(words));
  expect(missing).toEqual([]);
});
