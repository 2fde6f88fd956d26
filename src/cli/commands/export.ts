import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { EXPORT_FORMATS, type ExportFormat } from "../../sessions/export.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";
import { unknownSession } from "./history.ts";

interface Options {
  readonly format: ExportFormat;
  readonly raw?: true;
  readonly out?: string;
}

/** `switchyard export <session> [--format md|html|jsonl] [--raw] [--out <file>]` (OP-5, ST-7). */
export function addExport(program: Command, deps: CliDeps): void {
  program
    .command("export")
    .argument("<session>", "a session key or session id, as `switchyard sessions` shows it, or main")
    .addOption(new Option("--format <format>", "the file's form").choices([...EXPORT_FORMATS]).default("md"))
    .option("--raw", "the stored rows verbatim, with secrets unmasked, as JSON lines")
    .option("--out <file>", "where to; default: print it")
    .description("a session's whole transcript, with secrets masked")
    .action(async (session: string, options: Options, command: Command) => {
      const call = new Invocation(deps, command);
      const target = options.out === undefined ? null : resolve(deps.cwd, options.out);
      if (target !== null && existsSync(target)) {
        throw new CliFailure(`${target} exists already`, "Name another file; an export never overwrites one.");
      }
      const report = await call.look((reads) =>
        reads.export({ session, format: options.format, raw: options.raw === true }),
      );
      if (!report.found) throw unknownSession(session, report.close);
      if (target === null) return call.print(report, ({ text }) => text.trimEnd());
      await writeFile(target, report.text, { mode: 0o600, flag: "wx" });
      call.print({ file: target, messages: report.messages }, ({ messages }) => `${messages} messages in ${target}.`);
    });
}
