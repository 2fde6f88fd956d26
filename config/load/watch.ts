import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { ConfigError, type ConfigFault } from "../../src/core/errors.ts";
import type { Logger } from "../../src/core/runtime.ts";
import { faultLine } from "../../src/core/texts/config/load.ts";
import type { LoadedConfig } from "./load.ts";
import { needsRestart } from "./schema.ts";

export interface WatchOptions {
  readonly current: LoadedConfig;
  /** Loads again, with the same inputs as the first time. */
  readonly load: () => Promise<LoadedConfig>;
  /** Gets every configuration that was loaded without a fault; what is running already keeps the one it began with. */
  readonly apply: (loaded: LoadedConfig) => void;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  /** Default 200: an editor writes a file in several steps. */
  readonly settleMs?: number;
}

export interface ConfigWatch {
  /** Loads now; the result of a reload that is under way already counts. False: nothing changed, because the file has faults. */
  reload(): Promise<boolean>;
  stop(): void;
}

/**
 * Applies changes of the configuration without a restart (OP-2): on SIGHUP and when the file changes. A file with faults
 * changes nothing and says so. What only a restart applies is named in a warning; the rest of that file applies.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  let current = options.current;
  let running: Promise<boolean> | null = null;
  let isAskedAgain = false;
  let timer: NodeJS.Timeout | null = null;

  const loadOnce = async (): Promise<boolean> => {
    try {
      const next = await options.load();
      report(options.log, [...next.warnings, ...needsRestart(current.settings, next.settings)]);
      current = next;
      options.apply(next);
      options.log.info({ file: next.sourcePath }, "configuration reloaded");
      return true;
    } catch (error) {
      const faults = error instanceof ConfigError ? error.faults : [];
      options.log.error(
        { faults, err: error },
        "configuration not reloaded: it has problems, so the current one stays in use",
      );
      return false;
    }
  };

  const reload = async (): Promise<boolean> => {
    isAskedAgain = true;
    running ??= (async () => {
      let isApplied = false;
      while (isAskedAgain) {
        isAskedAgain = false;
        isApplied = await loadOnce();
      }
      running = null;
      return isApplied;
    })();
    return running;
  };

  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void reload(), options.settleMs ?? 200);
  };
  const onSignal = (): void => void reload();
  process.on("SIGHUP", onSignal);
  const watcher = watchFile(options, soon);

  return {
    reload,
    stop: () => {
      process.off("SIGHUP", onSignal);
      watcher?.close();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The folder is watched, not the file: editors replace it, and a watched file that is replaced falls silent. */
function watchFile(options: WatchOptions, changed: () => void): FSWatcher | null {
  const file = options.current.sourcePath;
  if (file === null) return null;
  const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
    // Kubernetes swaps the link `..data`, through which the file is reached; the file's own entry stays as it is (FC-322).
    if (name === null || name === basename(file) || name === "..data") changed();
  });
  watcher.on("error", (error) =>
    options.log.warn({ err: error }, "watching the configuration file failed; SIGHUP still reloads it"),
  );
  return watcher;
}

function report(log: WatchOptions["log"], warnings: readonly ConfigFault[]): void {
  for (const warning of warnings) log.warn({ path: warning.path }, faultLine(warning));
}
