import type { Command } from "commander";
import { describePolicy } from "../../../config/load/policy-text.ts";
import { ConfigError } from "../../core/errors.ts";
import { noProblems } from "../../core/texts/cli/answers.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";
import { faultLines } from "../output.ts";

/** `switchyard config check`: loads the configuration and shows what it comes to (OP-2, IN-6). */
export function addConfigCheck(program: Command, deps: CliDeps): void {
  program
    .command("config")
    .description(HELP.configGroup)
    .command("check")
    .description(HELP.configCheck)
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      if (call.isJson) return await printJson(call, deps);
      const { settings, warnings, notes, sourcePath } = await call.load();
      if (notes.length > 0) deps.output.err(faultLines(notes, "note: "));
      if (warnings.length > 0) deps.output.err(faultLines(warnings, "warning: "));
      deps.output.out([noProblems(sourcePath), ...describePolicy(settings, deps.catalog.channels)].join("\n"));
    });
}

/** A script gets the faults as data too; the exit code still tells. */
async function printJson(call: Invocation, deps: CliDeps): Promise<void> {
  try {
    const { settings, warnings, notes, sourcePath } = await call.load();
    call.print(
      { ok: true, sourcePath, warnings, notes, faults: [], policy: describePolicy(settings, deps.catalog.channels) },
      String,
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    call.print({ ok: false, sourcePath: null, warnings: [], notes: [], faults: error.faults, policy: [] }, String);
    call.fail();
  }
}
