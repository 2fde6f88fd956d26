import { type Command, Option } from "commander";
import { quotedName } from "../../core/text/visible.ts";
import {
  approvedPerson,
  confirmForget,
  deniedPerson,
  forgotten,
  NO_PAIRING,
  noOwnerYet,
  notAPerson,
  nothingStored,
  PAIRED_COLUMNS,
  stillConfigured,
  unknownCode,
  WAITING_COLUMNS,
} from "../../core/texts/cli/answers.ts";
import { HELP } from "../../core/texts/cli/help.ts";
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
  const pairing = program.command("pairing").description(HELP.pairing);
  pairing
    .command("list")
    .description(HELP.pairingList)
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      call.print(await call.look((reads) => reads.pairing({})), (report) => pairingText(report, deps.clock.now()));
    });
  const account = (): Option => new Option("--account <id>", HELP.pairingAccount);
  pairing
    .command("approve")
    .argument("<channel>", HELP.pairingChannel)
    .argument("<code>", HELP.pairingCode)
    .option("--owner", HELP.pairingOwner)
    .addOption(account())
    .description(HELP.pairingApprove)
    .action(async (channel: string, code: string, options: PairingOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const input = { channel, code, accountId: options.account ?? null, owner: options.owner === true };
      const approved = await control.approvePairing(input);
      if (approved === null) throw new CliFailure(unknownCode(channel, code));
      call.print(approved, (result) => approvedText(result, input.owner));
    });
  pairing
    .command("deny")
    .argument("<channel>", HELP.pairingChannel)
    .argument("<code>", HELP.pairingCode)
    .addOption(account())
    .description(HELP.pairingDeny)
    .action(async (channel: string, code: string, options: PairingOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      const person = await control.denyPairing({ channel, code, accountId: options.account ?? null });
      if (person === null) throw new CliFailure(unknownCode(channel, code));
      call.print(person, deniedPerson);
    });
}

function approvedText(
  { person, owners }: NonNullable<Awaited<ReturnType<ControlApi["approvePairing"]>>>,
  asOwner: boolean,
): string {
  const lines = [approvedPerson(person, asOwner)];
  if (owners === 0) lines.push(noOwnerYet(person));
  return lines.join("\n");
}

function pairingText({ waiting, paired }: PairingReport, now: number): string {
  if (waiting.length === 0 && paired.length === 0) return NO_PAIRING;
  const parts: string[] = [];
  if (waiting.length > 0) {
    const rows = waiting.map((ask) => [
      `${ask.channel}/${ask.accountId}`,
      ask.code,
      ask.senderId,
      ago(ask.createdAt, now),
      quotedName(ask.senderName),
    ]);
    parts.push(table(WAITING_COLUMNS, rows));
  }
  if (paired.length > 0) {
    const rows = paired.map((one) => [
      `${one.channel}/${one.accountId}`,
      one.senderId,
      ago(one.approvedAt, now),
      one.owner ? "owner" : "",
    ]);
    parts.push(table(PAIRED_COLUMNS, rows));
  }
  return parts.join("\n\n");
}

/** `switchyard forget <channel>:<user> --yes`: deletes one person's data (OP-10). */
export function addForget(program: Command, deps: CliDeps): void {
  program
    .command("forget")
    .argument("<person>", HELP.forgetPerson)
    .option("--yes", HELP.forgetYes)
    .description(HELP.forget)
    .action(async (person: string, options: { readonly yes?: boolean }, command: Command) => {
      const call = new Invocation(deps, command);
      const cut = person.indexOf(":");
      const [channel, senderId] = [person.slice(0, Math.max(cut, 0)), person.slice(cut + 1).trim()];
      if (channel === "" || senderId === "") {
        throw new CliFailure(notAPerson(person));
      }
      if (options.yes !== true) {
        throw new CliFailure(confirmForget(person));
      }
      const control = await call.process();
      call.print(await control.forget({ channel, senderId }), (report) => forgetText(person, report));
    });
}

function forgetText(person: string, report: ForgetReport): string {
  const { messages, inputs, events, access, configured } = report;
  const lines = [messages + inputs + events + access === 0 ? nothingStored(person) : forgotten(person, report)];
  if (configured.length > 0) lines.push(stillConfigured(configured));
  return lines.join("\n");
}
