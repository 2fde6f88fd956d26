import type { Command } from "commander";
import type { CliDeps } from "../deps.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { Invocation } from "../invocation.ts";

const MARKS = { ok: "ok  ", warning: "WARN", error: "FAIL" } as const;

/** `switchyard doctor`: checks everything a run depends on and prints the fix of each finding (OP-5). */
export function addDoctor(program: Command, deps: CliDeps): void {
  program
    .command("doctor")
    .description("check configuration, store, disk, clock, port, models and channels; print how to mend what is wrong")
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      const findings = await diagnose(call);
      const hasError = findings.some((finding) => finding.level === "error");
      call.print({ ok: !hasError, findings }, () =>
        findings
          .map(
            ({ level, subject, message, fix }) =>
              `${MARKS[level]}  ${subject}: ${message}${fix === null ? "" : `\n      ${fix}`}`,
          )
          .join("\n"),
      );
      if (hasError) call.fail();
    });
}
