import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type LoadedConfig, loadConfig } from "../../../config/load/load.ts";
import { type ConfigWatch, watchConfig } from "../../../config/load/watch.ts";
import { testCatalog } from "../../support/test-settings.ts";

let watching: ConfigWatch | null = null;
afterEach(() => watching?.stop());

interface Scene {
  readonly file: string;
  readonly applied: LoadedConfig[];
  readonly said: string[];
  readonly watch: ConfigWatch;
  write(text: string): void;
}

async function scene(text: string): Promise<Scene> {
  const cwd = mkdtempSync(join(tmpdir(), "switchyard-watch-"));
  const file = join(cwd, "switchyard.json5");
  writeFileSync(file, text);
  const load = (): Promise<LoadedConfig> =>
    loadConfig({ cwd, env: { HOME: cwd }, catalog: testCatalog, ollamaUrl: "http://127.0.0.1:9" });
  const applied: LoadedConfig[] = [];
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  watching = watchConfig({
    current: await load(),
    load,
    apply: (loaded) => applied.push(loaded),
    log: { info: say, warn: say, error: say },
    settleMs: 20,
  });
  const write = (next: string): void => {
    writeFileSync(`${file}.new`, next);
    renameSync(`${file}.new`, file);
  };
  return { file, applied, said, watch: watching, write };
}

const agents = 'agents: { defaults: { model: "demo/switchyard" } }';

test("OP-2: a changed file applies without a restart", async () => {
  const { applied, write } = await scene(`{ ${agents} }`);
  write(`{ ${agents}, messages: { historyLimit: 7 } }`);
  await expect.poll(() => applied.at(-1)?.settings.messages.historyLimit, { timeout: 5_000 }).toBe(7);
});

test("FC-322: a ConfigMap's swapped ..data link applies without a restart", async () => {
  const { applied, file } = await scene(`{ ${agents} }`);
  const folder = dirname(file);
  const publish = (version: string, limit: number): void => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "switchyard.json5"), `{ ${agents}, messages: { historyLimit: ${limit} } }`);
    symlinkSync(version, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  const limit = () => applied.at(-1)?.settings.messages.historyLimit;
  publish("..v1", 7);
  rmSync(file);
  symlinkSync("..data/switchyard.json5", file);
  await expect.poll(limit, { timeout: 5_000 }).toBe(7);
  publish("..v2", 8);
  await expect.poll(limit, { timeout: 5_000 }).toBe(8);
});

const withFiles = (limit: number): string => `{
  agents: {
    defaults: { model: "demo/switchyard" },
    entries: { main: { default: true, instructions: "./who.md" }, other: { instructions: "./deep/other.md" } },
  },
  messages: { historyLimit: ${limit} },
}`;

test("FC-322: a changed instructions file applies without a restart, however it is written, and also the next change", async () => {
  const { applied, file } = await scene(`{ ${agents} }`);
  const folder = dirname(file);
  mkdirSync(join(folder, "deep"));
  writeFileSync(join(folder, "who.md"), "one");
  writeFileSync(join(folder, "deep", "other.md"), "first");
  const instructions = (id: string) => applied.at(-1)?.settings.agents.get(id)?.instructions;
  writeFileSync(file, withFiles(1));
  await expect.poll(() => instructions("other"), { timeout: 5_000 }).toBe("first");
  // In place, replaced as editors do it, and gone for a moment.
  writeFileSync(join(folder, "who.md"), "two");
  await expect.poll(() => instructions("main"), { timeout: 5_000 }).toBe("two");
  writeFileSync(join(folder, "deep", "other.md~"), "second");
  renameSync(join(folder, "deep", "other.md~"), join(folder, "deep", "other.md"));
  await expect.poll(() => instructions("other"), { timeout: 5_000 }).toBe("second");
  rmSync(join(folder, "who.md"));
  writeFileSync(join(folder, "who.md"), "three");
  await expect.poll(() => instructions("main"), { timeout: 5_000 }).toBe("three");
});

test("FC-322: instructions in a ConfigMap of their own apply when ..data is swapped", async () => {
  const { applied, file } = await scene(`{ ${agents} }`);
  const folder = join(dirname(file), "deep");
  mkdirSync(folder);
  writeFileSync(join(dirname(file), "who.md"), "me");
  const publish = (version: string): void => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "other.md"), version);
    symlinkSync(version, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  const instructions = () => applied.at(-1)?.settings.agents.get("other")?.instructions;
  publish("..v1");
  symlinkSync("..data/other.md", join(folder, "other.md"));
  writeFileSync(file, withFiles(1));
  await expect.poll(instructions, { timeout: 5_000 }).toBe("..v1");
  publish("..v2");
  await expect.poll(instructions, { timeout: 5_000 }).toBe("..v2");
});

test("OP-2: SIGHUP loads the file again", async () => {
  const { applied } = await scene(`{ ${agents} }`);
  process.kill(process.pid, "SIGHUP");
  await expect.poll(() => applied.length, { timeout: 5_000 }).toBe(1);
});

test("OP-2: a file with faults changes nothing and says so", async () => {
  const { applied, said, watch, file } = await scene(`{ ${agents} }`);
  writeFileSync(file, "{ agnts: {} }");
  expect(await watch.reload()).toBe(false);
  expect(applied).toEqual([]);
  expect(said).toContain("configuration not reloaded: it has problems, so the current one stays in use");
});

test("OP-2: changes that need a restart are named, the others are not", async () => {
  const { said, watch, file } = await scene(`{ ${agents}, http: { port: 1 } }`);
  const telegram = '{ botToken: "1:abcdef" }';
  writeFileSync(
    file,
    `{ ${agents}, http: { port: 2 }, messages: { historyLimit: 7 }, channels: { telegram: ${telegram} } }`,
  );
  expect(await watch.reload()).toBe(true);
  expect(said.filter((line) => line.includes("after a restart"))).toEqual([
    "http: changes take effect after a restart. Restart Switchyard to apply them.",
    "channels: account telegram/default: changes take effect after a restart. Restart Switchyard to apply them.",
  ]);
});
