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
 * Applies changes of the configuration without a restart (OP-2): on SIGHUP and when the file, or one that it names, changes. A file with faults
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
      watched.follow(next);
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
  const watched = watchFiles(options.log, soon);
  watched.follow(current);

  return {
    reload,
    stop: () => {
      process.off("SIGHUP", onSignal);
      watched.close();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

interface WatchedFiles {
  /** From now on these files are watched, and no others. */
  follow(loaded: Pick<LoadedConfig, "sourcePath" | "files">): void;
  close(): void;
}

/** The folders are watched, not the files: editors replace them, and a watched file that is replaced falls silent. */
function watchFiles(log: Pick<Logger, "warn">, changed: () => void): WatchedFiles {
  const folders = new Map<string, { names: ReadonlySet<string>; readonly watcher: FSWatcher }>();

  function open(folder: string): FSWatcher {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      // Kubernetes swaps the link `..data`, through which a file is reached; the file's own entry stays as it is (FC-322).
      if (name === null || name === "..data" || folders.get(folder)?.names.has(name) === true) changed();
    });
    watcher.on("error", (error) => log.warn({ err: error, folder }, "watching a folder failed; SIGHUP still reloads"));
    return watcher;
  }

  return {
    follow({ sourcePath, files }) {
      const wanted = Map.groupBy(sourcePath === null ? files : [sourcePath, ...files], dirname);
      for (const [folder, { watcher }] of folders) {
        if (wanted.has(folder)) continue;
        watcher.close();
        folders.delete(folder);
      }
      for (const [folder, paths] of wanted) {
        const names = new Set(paths.map((path) => basename(path)));
        const known = folders.get(folder);
        if (known === undefined) folders.set(folder, { names, watcher: open(folder) });
        else known.names = names;
      }
    },
    close: () => {
      for (const { watcher } of folders.values()) watcher.close();
      folders.clear();
    },
  };
}

function report(log: WatchOptions["log"], warnings: readonly ConfigFault[]): void {
  for (const warning of warnings) log.warn({ path: warning.path }, faultLine(warning));
}
