import type { Command } from "commander";
import { findingLine, MARKS } from "../../core/texts/cli/doctor.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";

/** `switchyard doctor`: checks everything a run depends on and prints the fix of each finding (OP-5). */
export function addDoctor(program: Command, deps: CliDeps): void {
  program
    .command("doctor")
    .description(HELP.doctor)
    .option("--no-calls", HELP.doctorCalls)
    .action(async ({ calls }: { readonly calls: boolean }, command: Command) => {
      const call = new Invocation(deps, command);
      const { diagnose } = await import("../doctor/diagnose.ts");
      const findings = await diagnose(call, { calls });
      const hasError = findings.some((finding) => finding.level === "error");
      call.print({ ok: !hasError, findings }, () =>
        findings.map(({ level, subject, ...text }) => findingLine(MARKS[level], subject, text)).join("\n"),
      );
      if (hasError) call.fail();
    });
}
