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
