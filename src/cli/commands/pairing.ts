import { type Command, Option } from "commander";
import type { ControlApi, ForgetReport, PairingReport } from "../control/api.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, Invocation } from "../invocation.ts";
import { ago, table } from "../output.ts";

interface PairingOptions {
  readonly account?: string;
  readonly owner?: boolean;
}

/** `switchyard pairing list|approve|deny`: who may write to the bots (IN-5). */
export function addPairing(program: Command, deps: CliDeps): void {
  const pairing = program.command("pairing").description("let people in who asked for it");
  pairing
    .command("list")
    .description("show who waits and who was let in")
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      call.print(await call.look((reads) => reads.pairing({})), (report) => pairingText(report, deps.clock.now()));
    });
  const account = (): Option => new Option("--account <id>", "the channel's account, when it has several");
  pairing
    .command("approve")
    .argument("<channel>")
    .argument("<code>", "the code the person was shown")
    .option("--owner", "also make them an owner, who may use every command")
    .addOption(account())
    .description("let a person in, for direct messages of that account")
    .action(async (channel: string, code: string, options: PairingOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const input = { channel, code, accountId: options.account ?? null, owner: options.owner === true };
      const approved = await control.approvePairing(input);
      if (approved === null) throw unknownCode(channel, code);
      call.print(approved, (result) => approvedText(result, input.owner));
    });
  pairing
    .command("deny")
    .argument("<channel>")
    .argument("<code>")
    .addOption(account())
    .description("refuse a person; they may ask again")
    .action(async (channel: string, code: string, options: PairingOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const person = await control.denyPairing({ channel, code, accountId: options.account ?? null });
      if (person === null) throw unknownCode(channel, code);
      call.print(person, (denied) => `${denied.senderName} (${denied.channel}:${denied.senderId}) was refused.`);
    });
}

function unknownCode(channel: string, code: string): CliFailure {
  return new CliFailure(
    `no request with the code ${code} waits on ${channel}`,
    "`switchyard pairing list` shows those that wait; a code lives for one hour.",
  );
}

function approvedText(
  { person, owners }: NonNullable<Awaited<ReturnType<ControlApi["approvePairing"]>>>,
  asOwner: boolean,
): string {
  const name = `${person.senderName} (${person.channel}:${person.senderId})`;
  const lines = [
    asOwner
      ? `${name} may write to ${person.channel}/${person.accountId} and is an owner.`
      : `${name} may write to ${person.channel}/${person.accountId}.`,
  ];
  if (owners === 0)
    lines.push(
      `There is no owner yet. To make them one, add "${person.channel}:${person.senderId}" to commands.ownerAllowFrom.`,
    );
  return lines.join("\n");
}

function pairingText({ waiting, paired }: PairingReport, now: number): string {
  if (waiting.length === 0 && paired.length === 0) return "Nobody waits, and nobody was paired.";
  const parts: string[] = [];
  if (waiting.length > 0) {
    const rows = waiting.map((ask) => [
      `${ask.channel}/${ask.accountId}`,
      ask.code,
      ask.senderId,
      ago(ask.createdAt, now),
      ask.senderName,
    ]);
    parts.push(table(["waiting on", "code", "id", "asked", "name"], rows));
  }
  if (paired.length > 0) {
    const rows = paired.map((one) => [
      `${one.channel}/${one.accountId}`,
      one.senderId,
      ago(one.approvedAt, now),
      one.owner ? "owner" : "",
    ]);
    parts.push(table(["paired on", "id", "since", "role"], rows));
  }
  return parts.join("\n\n");
}

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
