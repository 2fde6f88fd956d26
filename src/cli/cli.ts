import { Command, CommanderError } from "commander";
import { BridgeError, ConfigError } from "../core/errors.ts";
import { addConfigCheck } from "./commands/config-check.ts";
import { addDb } from "./commands/db.ts";
import { addDeliveries } from "./commands/deliveries.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExport } from "./commands/export.ts";
import { addForget } from "./commands/forget.ts";
import { addHistory } from "./commands/history.ts";
import { addManifest } from "./commands/manifest.ts";
import { addPairing } from "./commands/pairing.ts";
import { addSend } from "./commands/send.ts";
import { addSessions } from "./commands/sessions.ts";
import { addStart } from "./commands/start.ts";
import { addStatus } from "./commands/status.ts";
import { addWhy } from "./commands/why.ts";
import type { CliDeps } from "./deps.ts";
import { CliFailure } from "./failure.ts";
import { faultLines } from "./fault-text.ts";
import { ExitWith } from "./invocation.ts";

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

/**
 * Runs one command line (OP-5), without the program's name in front. Resolves with the exit code: 0 done, 1 it failed,
 * 2 it was not understood. Failures are printed with their place and remedy; a stack only with `SWITCHYARD_DEBUG`.
 */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const program = createProgram(deps);
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof ExitWith) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(error, deps, args.includes("--json"));
    return 1;
  }
}

function createProgram(deps: CliDeps): Command {
  const program = new Command("switchyard")
    .description("A self-hosted bridge between chat platforms and AI agents")
    .version(deps.version)
    .option("--config <file>", "the configuration file")
    .option("--json", "print JSON")
    .showHelpAfterError("Run it with --help to see what it takes.");
  settle(program, deps);
  for (const add of COMMANDS) add(program, deps);
  for (const command of allCommands(program)) settle(command, deps);
  return program;
}

/** Commander throws instead of ending the process, and writes where the rest is written. */
function settle(command: Command, deps: CliDeps): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => deps.output.out(text.trimEnd()),
    writeErr: (text) => deps.output.err(text.trimEnd()),
  });
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
    output.out(JSON.stringify({ error: { code, message, remedy, faults } }, null, 2));
  } else if (faults.length > 0) {
    output.err(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faultLines(faults)}`,
    );
  } else {
    output.err(remedy === null ? `switchyard: ${message}` : `switchyard: ${message}\n${remedy}`);
  }
  if (env.SWITCHYARD_DEBUG && error instanceof Error && error.stack !== undefined) output.err(error.stack);
}
