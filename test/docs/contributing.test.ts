import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allPages, blocksOf, root } from "./pages.ts";

/** Reads CONTRIBUTING.md as a newcomer does: a block belongs to the file that the line before it names. */
const guide = allPages().find((page) => page.path === "CONTRIBUTING.md");
if (guide === undefined) throw new Error("there is no CONTRIBUTING.md");
const lines = guide.text.split("\n");

interface Recipe {
  /** File → the block the page gives for it, in the page's order. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly commands: readonly string[];
}

function recipe(heading: string): Recipe {
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`CONTRIBUTING.md has no "${heading}"`);
  const next = lines.findIndex((line, at) => at > from && line.startsWith("## "));
  const blocks = blocksOf(guide as NonNullable<typeof guide>).filter((block) => block.from > from && block.from < next);
  const files = new Map<string, readonly string[]>();
  for (const block of blocks.filter(({ language }) => language === "ts")) {
    const told = lines.slice(0, block.from - 1).findLast((line) => /`[\w./-]+\.ts`/.test(line)) ?? "";
    files.set(/`([\w./-]+\.ts)`/.exec(told)?.[1] ?? "", block.lines);
  }
  return { files, commands: blocks.filter(({ language }) => language === "sh").flatMap((block) => block.lines) };
}

/** A new file is written as it stands; into a list its imports go to the others and its entries to the end. */
function apply(copy: string, file: string, block: readonly string[]): void {
  const path = join(copy, file);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${block.join("\n")}\n`);
    return;
  }
  const imports = block.filter((line) => line.startsWith("import "));
  const entries = block.filter((line) => !line.startsWith("import "));
  const old = readFileSync(path, "utf8");
  const end = old.search(/^\]\)?;$/m);
  if (end < 0) throw new Error(`${file} has no list`);
  writeFileSync(path, `${imports.join("\n")}\n${old.slice(0, end)}${entries.join("\n")}\n${old.slice(end)}`);
}

let copy = "";
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "sw-guide-"));
  const kept = ["src", "adapters", "config", "test", "bench", "docs", "package.json", "tsconfig.json", "biome.json"];
  for (const name of [...kept, "vitest.config.ts", "vitest.quick.config.ts", "CONTRIBUTING.md", ".gitignore"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  linkPackages(copy);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Links the packages one by one: the caches beside them (dot folders) would mix the copy's files with this checkout's. */
function linkPackages(to: string): void {
  const [from, packages] = [join(root, "node_modules"), join(to, "node_modules")];
  mkdirSync(packages);
  const names = readdirSync(from).filter((name) => !name.startsWith(".") || name === ".bin");
  for (const name of names) symlinkSync(join(from, name), join(packages, name));
}

function run(command: string): Promise<{ readonly code: number; readonly said: string }> {
  const env = {
    PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
    HOME: copy,
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
  };
  return new Promise((resolve) => {
    execFile("bash", ["-c", `${command} 2>&1`], { cwd: copy, env, timeout: 240_000, maxBuffer: 1e7 }, (error, out) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, said: out.slice(-4000) });
    });
  });
}

/** The command must succeed; otherwise its own words say what the guide leaves out. */
async function follow(command: string): Promise<void> {
  const { code, said } = await run(command);
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${said}`);
}

/** The guide's chapters, and what following them must have written. */
const RECIPES = [
  {
    heading: "## How do I add a tool?",
    pages: ["docs/reference/tools/count_words.md", "docs/reference/tools.md"],
    word: "count_words",
  },
  { heading: "## How do I add a command?", pages: ["docs/reference/commands.md"], word: "/shout" },
  {
    heading: "## How do I add a channel?",
    pages: ["docs/reference/delivery-guarantee-table.md", "config/schema.json"],
    word: "board",
  },
];
const TESTS = "npx vitest run --config vitest.quick.config.ts ";

/** The recipes' commands, each once; their tests in one run. */
function together(commands: readonly string[]): readonly string[] {
  const tests = commands.filter((command) => command.startsWith(TESTS)).map((command) => command.slice(TESTS.length));
  return [
    ...new Set(commands.filter((command) => !command.startsWith(TESTS))),
    TESTS + [...new Set(tests.flatMap((files) => files.split(" ")))].join(" "),
  ];
}

it("TP-5, CM-1, CH-7: what CONTRIBUTING.md says of a new tool, command and channel is all that is needed", async () => {
  const recipes = RECIPES.map(({ heading }) => recipe(heading));
  for (const { files, commands } of recipes) {
    expect(files.size).toBeGreaterThan(2);
    expect(commands.length).toBeGreaterThan(2);
    for (const [file, block] of files) apply(copy, file, block);
  }
  // Imports and new files need not be sorted and wrapped by hand.
  await follow("npm run format");
  for (const command of together(recipes.flatMap(({ commands }) => commands))) await follow(command);
  for (const { pages, word } of RECIPES)
    for (const page of pages) expect(readFileSync(join(copy, page), "utf8")).toContain(word);
}, 600_000);
