import { type Command, Option } from "commander";
import { positiveNumber } from "../arguments.ts";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";
import { ago, table } from "../output.ts";

/** `switchyard sessions [search]`: all sessions, the most recently used first (OP-5). */
export function addSessions(program: Command, deps: CliDeps): void {
  program
    .command("sessions")
    .argument("[search]", "only sessions whose key, label or name holds this")
    .addOption(new Option("--limit <count>", "at most this many").default(50).argParser(positiveNumber))
    .description("list sessions, the most recently used first")
    .action(async (search: string | undefined, options: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.sessions({ search: search ?? null, limit: options.limit }));
      call.print(found, (sessions) => {
        if (sessions.length === 0)
          return search === undefined ? "There are no sessions yet." : `No session matches "${search}".`;
        const now = deps.clock.now();
        const rows = sessions.map((session) => [
          session.key,
          session.status,
          ago(session.updatedAt, now),
          String(session.inputTokens + session.outputTokens),
          session.displayName ?? session.label ?? session.title ?? "",
        ]);
        return table(["session", "state", "used", "tokens", "name"], rows);
      });
    });
}
