import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";
import { unknownSession } from "./history.ts";

/** `switchyard send <session> <text>`: the operator's words to a session (OP-5, TN-15). */
export function addSend(program: Command, deps: CliDeps): void {
  program
    .command("send")
    .argument("<session>", "a session key or session id, or main")
    .argument("<text...>", "what to say, in quotes or without")
    .description("say something to a session; the answer goes to where its people last wrote")
    .action(async (session: string, words: readonly string[], _options, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const report = await control.send({ session, text: words.join(" "), id: randomUUID() });
      if (!report.accepted) throw unknownSession(session, report.close);
      call.print(report, ({ key, route }) => {
        if (route === null)
          return `Accepted. ${key} has no conversation outside; read the answer with: switchyard history ${key}`;
        const thread = route.threadId === null ? "" : `, thread ${route.threadId}`;
        return `Accepted. The answer of ${key} goes to ${route.channel}/${route.accountId}, ${route.to}${thread}.`;
      });
    });
}
