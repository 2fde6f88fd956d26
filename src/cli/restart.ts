import type { LoadedConfig } from "../../config/load/load.ts";
import { ConfigError } from "../core/errors.ts";
import type { Logger } from "../core/runtime.ts";
import type { Settings } from "../core/settings.ts";
import { faultLine } from "../core/texts/config/load.ts";

/** The wish for a restart (CM-16), of one run of the program. */
export interface Restart {
  ask(): void;
  isAsked(): boolean;
  readonly asked: Promise<void>;
}

export function createRestart(): Restart {
  const wish = Promise.withResolvers<void>();
  let isAsked = false;
  return {
    ask: () => {
      isAsked = true;
      wish.resolve();
    },
    isAsked: () => isAsked,
    asked: wish.promise,
  };
}

/**
 * OP-9: the first SIGTERM or SIGINT stops gracefully, a second one immediately; nothing is lost either way. CM-16: a restart by
 * command stops in the same order; a signal meanwhile makes it a stop.
 */
export function untilAsked(run: {
  readonly stop: () => Promise<void>;
  readonly restart: Promise<void>;
  readonly log: Logger;
}): Promise<number | "restart"> {
  const { log } = run;
  return new Promise((resolve, reject) => {
    let end: 0 | "restart" | null = null;
    const stop = (): void => {
      run
        .stop()
        .finally(() => {
          process.off("SIGTERM", onSignal);
          process.off("SIGINT", onSignal);
        })
        .then(() => resolve(end ?? 0), reject);
    };
    const onSignal = (signal: NodeJS.Signals): void => {
      if (end === 0) process.exit(1);
      const isStopping = end !== null;
      end = 0;
      // This may take as long as a turn needs to reach its next step; silence would look like a hang.
      log.info({ signal }, "stopping; running work continues at the next start. A second signal stops immediately");
      if (!isStopping) stop();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    void run.restart.then(() => {
      if (end !== null) return;
      end = "restart";
      log.info({}, "restarting by command; what is under way goes on after it");
      stop();
    });
  });
}

/** What is wrong with the configuration as the next start would load it. */
export async function faultsOf(load: () => Promise<LoadedConfig>): Promise<readonly string[]> {
  try {
    await load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(faultLine);
    throw error;
  }
}

/** Where any free port will do, the page stays at the address it had before the restart. */
export function withFormerPort(http: Settings["http"], formerUrl: string | null): Settings["http"] {
  return formerUrl === null || http.port !== 0 ? http : { ...http, port: Number(new URL(formerUrl).port) };
}
