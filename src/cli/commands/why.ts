import type { Command } from "commander";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";
import { table } from "../output.ts";

/** `switchyard why <link or id>`: what became of a message, and by which rule (IN-17, CM-8). */
export function addWhy(program: Command, deps: CliDeps): void {
  program
    .command("why")
    .argument("<message>", "a link to a message, or its event id from the log")
    .description("tell what became of a message, and by which rule")
    .action(async (reference: string, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const events = await call.look((reads) => reads.why({ reference }));
      if (events.length === 0) {
        throw new CliFailure(
          `nothing is known of "${reference}"`,
          "Events are kept for 7 days; give the link as the platform copies it, or the event id from the log.",
        );
      }
      call.print(events, (list) => {
        const rows = list.map((event) => [
          new Date(event.receivedAt).toISOString(),
          event.result,
          event.rule,
          event.sessionKey ?? "",
          event.inputState ?? "",
          event.turnId ?? "",
        ]);
        return table(["received", "became", "by", "session", "input", "turn"], rows);
      });
    });
}
