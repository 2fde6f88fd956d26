import type { Command } from "commander";
import type { ForgetReport } from "../control-api.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";

/** `switchyard forget <channel>:<user> --yes`: deletes one person's data (OP-10). */
export function addForget(program: Command, deps: CliDeps): void {
  program
    .command("forget")
    .argument("<person>", "the channel and the person's id there, such as telegram:111")
    .option("--yes", "really; nothing brings it back but a backup")
    .description("delete what one person wrote and how they were let in")
    .action(async (person: string, options: { readonly yes?: boolean }, command: Command) => {
      const call = new Invocation(deps, command);
      const cut = person.indexOf(":");
      const [channel, senderId] = [person.slice(0, Math.max(cut, 0)), person.slice(cut + 1).trim()];
      if (channel === "" || senderId === "") {
        throw new CliFailure(`"${person}" names nobody`, "Write <channel>:<id>, such as telegram:111.");
      }
      if (options.yes !== true) {
        throw new CliFailure(
          `this deletes what ${person} wrote, in every session, and cannot be undone`,
          `Run it again with --yes: switchyard forget ${person} --yes`,
        );
      }
      const control = await call.process();
      call.print(await control.forget({ channel, senderId }), (report) => forgetText(person, report));
    });
}

function forgetText(person: string, { messages, inputs, events, access, configured }: ForgetReport): string {
  const all = messages + inputs + events + access;
  const lines =
    all === 0
      ? [`Nothing is stored of ${person}.`]
      : [
          `Forgotten: ${person}. ${count(messages, "message")} in transcripts replaced; ${count(inputs, "input")} and ${count(access, "permission")} removed; ${count(events, "event")} made nameless.`,
          "Their files go within about a day. What others wrote or the agents answered stays, and so do backups.",
        ];
  if (configured.length > 0) lines.push(`The configuration still names them: ${configured.join(", ")}.`);
  return lines.join("\n");
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
