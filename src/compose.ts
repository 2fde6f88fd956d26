import { randomUUID } from "node:crypto";
import { channels } from "../adapters/index.ts";
import { createConfigEditor } from "../config/edit/editor.ts";
import { watchConfig } from "../config/load/watch.ts";
import packageJson from "../package.json" with { type: "json" };
import { createAgentRunner, createLearntModels } from "./agent/providers/create-agent-runner.ts";
import { createBridge } from "./bridge/bridge.ts";
import { createControlChanges } from "./cli/control/changes.ts";
import { createControlReads } from "./cli/control/reads.ts";
import { startControlServer } from "./cli/control/server.ts";
import type { StartOptions, StartSwitchyard } from "./cli/deps.ts";
import { databaseFile } from "./cli/invocation.ts";
import { createRestart, faultsOf, type Restart, untilAsked, withFormerPort } from "./cli/restart.ts";
import { type Closing, createClosing } from "./core/runtime.ts";
import { startingResponse } from "./http/health.ts";
import { createMetrics, startLoopMonitor } from "./http/metrics.ts";
import { createMounts } from "./http/mounts.ts";
import { startHttpServer } from "./http/server.ts";
import { openSqliteStore } from "./store/dialect/sqlite.ts";
import { lockStore } from "./store/dialect/store-lock.ts";
import { oldestWaitingInput } from "./store/reads/upkeep/open-work.ts";
import { watchStore } from "./store/watched-store.ts";
import { createMcpServers } from "./tools/mcp/servers.ts";
import { createEffectiveTools } from "./tools/policy.ts";
import { createInProcessQueue } from "./work/in-process.ts";

const { version } = packageJson;
const clock = { now: () => Date.now() };
const ids = { uuid: () => randomUUID() };

/** A start that fails leaves nothing behind: no lock, no socket, no port. */
export const start: StartSwitchyard = async (options) => {
  const closing = createClosing(options.log);
  const restart = createRestart();
  try {
    const { url } = await open(options, closing, restart);
    return { url, stopped: untilAsked({ stop: closing.closeAll, restart: restart.asked, log: options.log }) };
  } catch (error) {
    await closing.closeAll();
    throw error;
  }
};

/** The composition root: the only place that names the concrete adapters, store, work queue and model providers. */
async function open(
  { loaded, reload, loadFile, formerUrl, commandLine, log }: StartOptions,
  closing: Closing,
  restart: Restart,
): Promise<{ readonly url: string }> {
  const startedAt = clock.now();
  let settings = loaded.settings;
  const file = databaseFile(settings);
  const metrics = createMetrics();
  const lock = lockStore(file);
  closing.add("the store's lock", lock.release);
  const store = watchStore(
    await openSqliteStore({
      file,
      clock,
      log,
      onStep: (name, ms) => metrics.instrument.storeCall({ kind: "step", name, ms }),
    }),
    { clock, log },
  );
  closing.add("the store", store.close);
  const learnt = createLearntModels({ store, clock, log });
  let runner = createAgentRunner({ models: settings.models, clock, learnt });
  const work = createInProcessQueue({ clock, log });
  const mounts = createMounts();
  const home = settings.accounts.some((account) => account.channel === "web") ? "/web" : null;
  if (home !== null) mounts.mount(home, startingResponse);
  const http = await startHttpServer({
    settings: withFormerPort(settings.http, formerUrl),
    home,
    mounts,
    health: async () => ({ accounts: report(), store: await store.health(), takesWork: bridge.takesWork() }),
    metrics,
    clock,
    log,
  });
  closing.add("the HTTP server", http.close);
  const servers = createMcpServers({ version, clock, log });
  closing.add("the MCP servers", servers.stop);
  servers.apply(settings);
  const bridge = createBridge({
    store,
    work,
    settings: () => settings,
    runner: () => runner,
    descriptors: channels,
    mount: mounts.mount,
    instrument: metrics.instrument,
    version,
    commandLine,
    effectiveTools: createEffectiveTools(servers.tools),
    configFile:
      loaded.sourcePath === null
        ? null
        : createConfigEditor({
            file: loaded.sourcePath,
            channels,
            startedWith: loaded.settings,
            load: loadFile,
            reload: () => watch.reload(),
          }),
    process: {
      restart: restart.ask,
      restarting: restart.isAsked,
      faults: () => faultsOf(reload),
    },
    clock,
    ids,
    log,
  });

  function report() {
    return bridge.accounts.list().map((account) => ({
      channel: account.settings.channel,
      accountId: account.settings.accountId,
      health: account.health(),
    }));
  }

  metrics.attach({
    queueDepth: bridge.queueDepth,
    oldestWaitingInputAt: () => store.read(oldestWaitingInput, undefined),
    accounts: report,
    now: clock.now,
  });
  const control = await startControlServer({
    dataDir: settings.store.dataDir,
    log,
    api: {
      ...createControlReads({
        store,
        clock,
        settings: () => settings,
        channels,
        live: {
          process: () => ({ pid: process.pid, version, startedAt, url: http.url }),
          health: ({ channel, accountId }) => bridge.accounts.get(channel, accountId)?.health() ?? null,
          servers: servers.reports,
        },
      }),
      ...createControlChanges({ store, settings: () => settings }),
    },
  });
  closing.add("the control socket", control.close);
  const watch = watchConfig({
    current: loaded,
    load: reload,
    log,
    apply: (next) => {
      settings = next.settings;
      servers.apply(settings);
      runner = createAgentRunner({ models: settings.models, clock, learnt });
    },
  });
  closing.add("the configuration's watch", watch.stop);
  closing.add("the bridge", bridge.stop);
  await bridge.start();
  // Only from here on: loading the platforms' libraries blocks, and no requests are served yet.
  const monitor = startLoopMonitor({ log, onDelay: metrics.loopDelay });
  closing.add("the event loop's monitor", monitor.stop);
  return { url: http.url };
}
