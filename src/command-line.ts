import { channels } from "../adapters/index.ts";
import { type Environment, withEnvFiles } from "../config/load/environment.ts";
import packageJson from "../package.json" with { type: "json" };
import { runCli } from "./cli/cli.ts";
import { useProxies } from "./cli/proxy.ts";
import { ConfigError } from "./core/errors.ts";
import { TOOL_NAMES } from "./tools/names.ts";

/** With `.env`. Proxies are set before anything asks the network, so the folder of `--config` is not known yet. */
function environment(): Environment {
  try {
    return withEnvFiles(process.env, { cwd: process.cwd(), configPath: null });
  } catch (error) {
    // The command reads it again, and says what is wrong with it.
    if (error instanceof ConfigError) return process.env;
    throw error;
  }
}

/**
 * Runs one command of the command line and resolves to the process's exit code. Only what the command needs is loaded: the
 * running program is a thousand modules, and a second, that `switchyard status` must not pay for.
 */
export function main(args: readonly string[]): Promise<number> {
  // The reader may have exited (`| head`, a closed terminal): later output is lost, and the work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const noProxy = useProxies(environment());
  if (noProxy !== null) process.stderr.write(`switchyard: ${noProxy}\n`);
  return runCli(args, {
    version: packageJson.version,
    catalog: { channels, toolNames: TOOL_NAMES },
    start: async (options) => (await import("./compose.ts")).start(options),
    storeFiles: async () => (await import("./store/dialect/sqlite.ts")).sqliteFiles,
    clock: { now: () => Date.now() },
    env: process.env,
    cwd: process.cwd(),
    program: process.argv[1] ?? "",
    output: {
      out: (text) => void process.stdout.write(`${text}\n`),
      err: (text) => void process.stderr.write(`${text}\n`),
    },
    isTerminal: process.stdout.isTTY === true,
  });
}
