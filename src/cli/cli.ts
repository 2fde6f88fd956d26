import { Command, CommanderError } from "commander";
import { BridgeError, ConfigError } from "../core/errors.ts";
import { problemsFound } from "../core/texts/cli/answers.ts";
import { COMMAND_MISSING, HELP, PROGRAM_SUMMARY, SEE_HELP } from "../core/texts/cli/help.ts";
import { addConfigCheck } from "./commands/config-check.ts";
import { addDb } from "./commands/db.ts";
import { addDeliveries } from "./commands/deliveries.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addManifest } from "./commands/manifest.ts";
import { addForget, addPairing } from "./commands/pairing.ts";
import { addExport, addHistory, addSend, addSessions } from "./commands/sessions.ts";
import { addStart } from "./commands/start.ts";
import { addStatus } from "./commands/status.ts";
import { addWhy } from "./commands/why.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure, ExitWith } from "./invocation.ts";
import { type CliOutput, createPrinter, faultLines } from "./output.ts";

const COMMANDS: readonly ((program: Command, deps: CliDeps) => void)[] = [
  addStart,
  addStatus,
  addSessions,
  addHistory,
  addExport,
  addSend,
  addDeliveries,
  addWhy,
  addPairing,
  addForget,
  addConfigCheck,
  addDb,
  addDoctor,
  addManifest,
];

/** What a run of the command line is given; each run has its own printer. */
export type CliInput = Omit<CliDeps, "output"> & { readonly output: CliOutput };

/**
 * Runs one command line (OP-5), without the program's name in front. Resolves with the exit code: 0 done, 1 it failed,
 * 2 it was not understood. Failures are printed with their place and remedy; a stack only with `SWITCHYARD_DEBUG`.
 */
export async function runCli(args: readonly string[], given: CliInput): Promise<number> {
  const deps: CliDeps = { ...given, output: createPrinter(given.output) };
  const isJson = args.includes("--json");
  const program = createProgram(deps, isJson);
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof ExitWith) return error.exitCode;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      if (isJson) deps.output.json(misunderstood(error));
      return 2;
    }
    report(error, deps, isJson);
    return 1;
  }
}

function createProgram(deps: CliDeps, isJson: boolean): Command {
  const program = new Command("switchyard")
    .description(PROGRAM_SUMMARY)
    .version(deps.version)
    .option("--config <file>", HELP.config)
    .option("--json", HELP.json)
    .showHelpAfterError(SEE_HELP);
  settle(program, deps, isJson);
  for (const add of COMMANDS) add(program, deps);
  for (const command of allCommands(program)) settle(command, deps, isJson);
  return program;
}

/**
 * Commander throws instead of ending the process, and writes where the rest is written. With `--json` its complaints are
 * kept back, since they are printed as data.
 */
function settle(command: Command, deps: CliDeps, isJson: boolean): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => deps.output.out(text.trimEnd()),
    writeErr: (text) => {
      if (!isJson) deps.output.err(text.trimEnd());
    },
  });
}

/** What was not understood, as the data that `--json` gives of every failure. A group named without its command is `commander.help`. */
function misunderstood(error: CommanderError): object {
  const message = error.code === "commander.help" ? COMMAND_MISSING : error.message.replace(/^error: /, "");
  return { error: { code: "usage", message, remedy: SEE_HELP, faults: [] } };
}

function allCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

function report(error: unknown, deps: CliDeps, isJson: boolean): void {
  const { output, env } = deps;
  const message = error instanceof Error ? error.message : String(error);
  const faults = error instanceof ConfigError ? error.faults : [];
  const remedy = error instanceof CliFailure ? error.remedy : null;
  if (isJson) {
    const code = error instanceof BridgeError ? error.code : "failed";
    output.json({ error: { code, message, remedy, faults } });
  } else if (faults.length > 0) {
    output.err(problemsFound(faults.length, faultLines(faults)));
  } else {
    output.err(remedy === null ? `switchyard: ${message}` : `switchyard: ${message}\n${remedy}`);
  }
  if (env.SWITCHYARD_DEBUG && error instanceof Error && error.stack !== undefined) output.err(error.stack);
}
