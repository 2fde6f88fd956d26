import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../src/cli/cli.ts";
import type { ControlApi, ControlReads } from "../../src/cli/control/api.ts";
import { createControlChanges } from "../../src/cli/control/changes.ts";
import { createControlReads } from "../../src/cli/control/reads.ts";
import { type ControlServer, startControlServer } from "../../src/cli/control/server.ts";
import type { StartSwitchyard } from "../../src/cli/deps.ts";
import type { Settings } from "../../src/core/settings.ts";
import { openSqliteStore, sqliteFiles } from "../../src/store/dialect/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { testCatalog, testSettings } from "./test-settings.ts";
import { silentLog } from "./test-store.ts";

export interface CliResult {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** A folder with a configuration and a store, and the command line in it. */
export interface CliScene {
  readonly folder: string;
  readonly settings: Settings;
  readonly clock: FakeClock;
  run(...args: readonly string[]): Promise<CliResult>;
  /** Opens the store, gives it to `work`, and closes it: what a process did that does not run any more. */
  withStore(work: (store: Store) => Promise<void>): Promise<void>;
  /** A process serves the store from now on. */
  serve(): Promise<Store>;
  close(): Promise<void>;
}

/** `config` stands in `switchyard.json5`; the demo model unless it names one. */
export function cliScene(config: object = {}, start: StartSwitchyard = noStart): CliScene {
  const folder = mkdtempSync(join(tmpdir(), "swy-"));
  const tree = { agents: { defaults: { model: "demo/switchyard" } }, ...config };
  writeFileSync(join(folder, "switchyard.json5"), JSON.stringify(tree));
  const settings = testSettings({ ...tree }, { baseDir: folder });
  const clock = new FakeClock(Date.UTC(2027, 0, 1));
  let served: { readonly store: Store; readonly server: ControlServer } | null = null;
  const open = (): Promise<Store> =>
    openSqliteStore({ file: join(folder, "data/switchyard.db"), clock, log: silentLog });
  return {
    folder,
    settings,
    clock,
    run: async (...args) => {
      const lines = { out: [] as string[], err: [] as string[] };
      const exitCode = await runCli(args, {
        version: "0.0.0-test",
        catalog: testCatalog,
        start,
        storeFiles: async () => sqliteFiles,
        clock,
        env: { HOME: folder },
        cwd: folder,
        program: "switchyard",
        output: { out: (text) => void lines.out.push(text), err: (text) => void lines.err.push(text) },
        isTerminal: false,
      });
      return { exitCode, out: lines.out.join("\n"), err: lines.err.join("\n") };
    },
    withStore: async (work) => {
      const store = await open();
      await work(store);
      await store.close();
    },
    serve: async () => {
      const store = await open();
      const server = await startControlServer({
        dataDir: settings.store.dataDir,
        api: apiOf(store, settings, clock),
        log: silentLog,
      });
      served = { store, server };
      return store;
    },
    close: async () => {
      await served?.server.close();
      await served?.store.close();
    },
  };
}

function apiOf(store: Store, settings: Settings, clock: FakeClock): ControlApi {
  const process = {
    pid: 4711,
    version: "0.0.0-test",
    startedAt: clock.now() - 3_600_000,
    url: "http://127.0.0.1:4180",
  };
  const health = {
    state: "ready",
    since: clock.now() - 60_000,
    lastInboundAt: clock.now() - 5_000,
    lastOutboundAt: null,
    lastError: null,
    clockAheadMs: 0,
  } as const;
  const live = { process: () => process, health: () => health, servers: () => [] };
  const reads: ControlReads = createControlReads({
    store,
    clock,
    settings: () => settings,
    channels: testCatalog.channels,
    live,
  });
  return { ...reads, ...createControlChanges({ store, settings: () => settings }) };
}

const noStart: StartSwitchyard = async () => ({ url: null, stopped: Promise.resolve(0) });
