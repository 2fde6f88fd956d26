import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { COMMANDS } from "../src/commands/registry.ts";
import { PROFILES, TOOL_NAMES } from "../src/tools/names.ts";
import { clauseCoverage } from "./support/clauses.ts";

const spec = (name: string) => readFileSync(fileURLToPath(new URL(`../docs/spec/${name}`, import.meta.url)), "utf8");
/** The item of the list of what is not built that begins so, to the next item. */
function notBuilt(about: string): string {
  const [, item = ""] = spec("README.md").split(`- ${about}:`);
  return item.split("\n- ")[0] ?? "";
}
const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();

it("style: a test names clauses that the contract has", () => {
  const text = ["00-product", "01-session-keys", "02-inbound", "03-turns", "04-session-tools", "05-subagents"]
    .concat(["06-delivery", "07-commands", "08-channels", "09-state-log", "10-operations"])
    .map((name) => spec(`${name}.md`))
    .join("\n");
  const unknown = [...clauseCoverage().clauses.keys()].filter((id) => !text.includes(`**${id}**`));
  expect(unknown).toEqual([]);
});

it("CM-6: every command of the contract is in the registry or among those that are not built yet", () => {
  const rows = spec("07-commands.md")
    .split("\n")
    .filter((line) => /^\s*\| `\//.test(line))
    .map((line) => line.split(/ \| (?:user|admin|owner)/)[0] ?? "");
  const wanted = new Set(rows.flatMap((row) => names(row, /`\/([a-z]+)/g)));
  for (const other of rows.flatMap((row) => names(row, /\(`\/([a-z]+)`\)/g))) wanted.delete(other);
  const missing = [...wanted].filter((name) => !COMMANDS.some((command) => command.name === name));
  expect(names(notBuilt("Commands"), /`\/([a-z]+)`/g)).toEqual(missing.toSorted());
});

it("TP-1: every tool a profile names is in the registry or among those that are not built yet", () => {
  const wanted = new Set(Object.values(PROFILES).flat());
  const missing = [...wanted].filter((name) => /^[a-z_]+$/.test(name) && !TOOL_NAMES.includes(name));
  expect(names(notBuilt("Tools"), /`([a-z_]+)`/g)).toEqual(missing.toSorted());
});
