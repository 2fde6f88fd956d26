import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { COMMANDS } from "../src/commands/registry.ts";
import { TOOL_NAMES } from "../src/tools/names.ts";
import { TOOLS } from "../src/tools/registry.ts";
import { clauseCoverage } from "./support/clauses.ts";

const spec = (name: string) => readFileSync(fileURLToPath(new URL(`../docs/spec/${name}`, import.meta.url)), "utf8");
const notBuilt = spec("11-not-built-yet.md");
const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();

it("style: a test names clauses that the contract has", () => {
  const text = ["00-product", "01-session-keys", "02-inbound", "03-turns", "04-session-tools", "05-subagents"]
    .concat(["06-delivery", "07-commands", "08-channels", "09-state-log", "10-operations", "11-not-built-yet"])
    .map((name) => spec(`${name}.md`))
    .join("\n");
  const unknown = [...clauseCoverage().clauses.keys()].filter((id) => !text.includes(`**${id}**`));
  expect(unknown).toEqual([]);
});

it("CM-6: the contract's table lists every command of the registry and no other", () => {
  const rows = spec("07-commands.md")
    .split("\n")
    .filter((line) => /^\s*\| `\//.test(line))
    .map((line) => line.split(/ \| (?:user|admin|owner)/)[0] ?? "");
  const listed = new Set(rows.flatMap((row) => names(row, /`\/([a-z]+)/g)));
  for (const alias of rows.flatMap((row) => names(row, /\(`\/([a-z]+)`\)/g))) listed.delete(alias);
  expect([...listed].toSorted()).toEqual(COMMANDS.map((command) => command.name).toSorted());
});

it("CM-6: a command that is not built yet is not in the registry", () => {
  const waiting = names(notBuilt, /^- Commands: .*?`\/([a-z]+)/gm);
  expect(waiting).not.toEqual([]);
  expect(waiting.filter((name) => COMMANDS.some((command) => command.name === name))).toEqual([]);
});

it("TP-1: the profiles of the tools are those the contract lists", () => {
  const rows = spec("04-session-tools.md")
    .split("\n")
    .filter((line) => /^ {2}\| `(minimal|messaging|coding)`/.test(line));
  const profiles = new Map(rows.map((row) => [names(row, /^ {2}\| `([a-z]+)`/g)[0], row.split("` | ")[1] ?? ""]));
  const messaging = names(profiles.get("messaging") ?? "", /`([a-z_]+)`/g);
  const own = names((profiles.get("coding") ?? "").split(", plus ")[1] ?? "", /`([a-z_]+)`/g);
  const goals = ["create_goal", "get_goal", "update_goal"];
  const coding = [...messaging.filter((name) => name !== "message"), ...own, ...goals];
  const offered = (profile: "minimal" | "messaging" | "coding") =>
    TOOLS.filter((tool) => tool.profiles.includes(profile)).map(({ name }) => name);
  expect(offered("minimal")).toEqual(["session_status"]);
  expect(offered("messaging").toSorted()).toEqual(messaging);
  expect(offered("coding").toSorted()).toEqual(coding.toSorted());
  expect(coding.filter((name) => !TOOL_NAMES.includes(name))).toEqual([]);
});

it("FC-426: only the page about what is not built mentions it", () => {
  const later = /\bACP\b|`?\/acp|\bcron\b|\bdashboard\b|\bsandbox|\/hooks\//i;
  const pages = ["00-product", "01-session-keys", "02-inbound", "03-turns", "04-session-tools", "05-subagents"]
    .concat(["06-delivery", "07-commands", "08-channels", "09-state-log", "10-operations"])
    .map((name) => [name, spec(`${name}.md`)] as const);
  expect(pages.flatMap(([name, text]) => (later.exec(text) === null ? [] : [name]))).toEqual([]);
  expect(later.test(notBuilt)).toBe(true);
});
