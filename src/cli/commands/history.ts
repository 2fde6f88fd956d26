import { type Command, Option } from "commander";
import { positiveNumber } from "../arguments.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";

/** `switchyard history <session>`: the newest messages of a session, secrets masked (OP-5). */
export function addHistory(program: Command, deps: CliDeps): void {
  program
    .command("history")
    .argument("<session>", "a session key or session id, as `switchyard sessions` shows it, or main")
    .addOption(new Option("--limit <count>", "at most this many messages").default(50).argParser(positiveNumber))
    .description("print the newest messages of a session")
    .action(async (session: string, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const report = await call.look((reads) => reads.history({ session, limit: options.limit }));
      if (!report.found) throw unknownSession(session, report.close);
      call.print(report, ({ key, messages }) => {
        if (messages.length === 0) return `${key} has no messages yet.`;
        const blocks = messages.map(({ at, from, text }) => `${new Date(at).toISOString()}  ${from}\n${indent(text)}`);
        return [key, ...blocks].join("\n\n");
      });
    });
}

export function unknownSession(session: string, close: readonly string[]): CliFailure {
  return new CliFailure(
    `there is no session "${session}"`,
    close.length > 0 ? `Did you mean ${close.join(" or ")}?` : "`switchyard sessions` lists them.",
  );
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}
