import type { Command } from "commander";
import { describePolicy } from "../../../config/load/policy-text.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import { faultLine } from "../../core/texts/config/load.ts";
import type { CliDeps, RunningSwitchyard } from "../deps.ts";
import { Invocation } from "../invocation.ts";

/** `switchyard start`: runs Switchyard until it is stopped (OP-1, OP-9). */
export function addStart(program: Command, deps: CliDeps): void {
  program
    .command("start")
    .option("--port <port>", HELP.port)
    .description(HELP.start)
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      let ended: number | "restart" = "restart";
      for (let formerUrl: string | null = null; ended === "restart"; ) {
        const running = await startOnce(call, formerUrl);
        formerUrl = running.url;
        ended = await running.stopped;
      }
      call.exitWith(ended);
    });
}

/** One run. A restart by command (CM-16) starts the next one, with its own configuration, logging and connections. */
async function startOnce(call: Invocation, formerUrl: string | null): Promise<RunningSwitchyard> {
  const { deps } = call;
  const loaded = await call.load();
  const { settings, warnings, notes, sourcePath } = loaded;
  const { createLogger } = await import("../logger.ts");
  const log = await createLogger({
    settings,
    isTerminal: deps.isTerminal,
    write: deps.output.log.out,
  });
  log.info(
    { file: sourcePath },
    sourcePath === null ? "no configuration file: using the built-in defaults" : `configuration: ${sourcePath}`,
  );
  for (const note of notes) log.info({ path: note.path }, faultLine(note));
  for (const warning of warnings) log.warn({ path: warning.path }, faultLine(warning));
  const { channels } = deps.catalog;
  for (const line of describePolicy(settings, channels)) log.info({}, `access: ${line}`);
  const running = await deps.start({
    loaded,
    reload: () => call.load(),
    loadFile: (file) => call.load(file),
    channels,
    formerUrl,
    commandLine: call.commandLine(),
    log,
  });
  if (running.url !== null) log.info({ url: running.url }, `Switchyard is ready: ${running.url}`);
  return running;
}
