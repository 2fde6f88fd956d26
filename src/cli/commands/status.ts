import type { Command } from "commander";
import { accountName } from "../../core/ids.ts";
import {
  ACCOUNT_COLUMNS,
  clockLine,
  FAILURE_COLUMNS,
  NEVER,
  NOT_RUNNING,
  processLine,
  SERVER_COLUMNS,
  workLines,
} from "../../core/texts/cli/answers.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import { roughDuration } from "../../core/time.ts";
import type { StatusReport } from "../control/api.ts";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";
import { ago, cellText, table } from "../output.ts";

/** `switchyard status`: the process, its accounts and what is open (CH-5, OP-5). */
export function addStatus(program: Command, deps: CliDeps): void {
  program
    .command("status")
    .description(HELP.status)
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      call.print(await call.look((reads) => reads.status({})), (report) => statusText(report, deps.clock.now()));
    });
}

function statusText(report: StatusReport, now: number): string {
  const { process, accounts, servers, counts, failures } = report;
  const parts: string[] = [];
  if (process !== null) {
    parts.push(processLine({ ...process, since: ago(process.startedAt, now) }));
  }
  const rows = accounts.map((account) => {
    const health = account.health;
    if (health === null) return [accountName(account), NOT_RUNNING, "", "", "", ""];
    return [
      accountName(account),
      health.state,
      ago(health.since, now),
      since(health.lastInboundAt, now),
      since(health.lastOutboundAt, now),
      cellText(health.lastError ?? ""),
    ];
  });
  parts.push(table(ACCOUNT_COLUMNS, rows));
  const wrong = accounts.flatMap((account) => {
    const off = account.health?.clockAheadMs ?? 0;
    return off === 0 ? [] : [clockLine(accountName(account), roughDuration(Math.abs(off)), off > 0)];
  });
  if (wrong.length > 0) parts.push(wrong.join("\n"));
  if (servers.length > 0) {
    const lines = servers.map(({ name, state, since, tools, lastError }) => [
      name,
      state,
      state === NOT_RUNNING ? "" : ago(since, now),
      state === "ready" ? String(tools) : "",
      cellText(lastError ?? ""),
    ]);
    parts.push(table(SERVER_COLUMNS, lines));
  }
  parts.push(workLines(counts, counts.oldestWaitingAt === null ? null : ago(counts.oldestWaitingAt, now)));
  if (failures.length > 0) {
    const lines = failures.map((failure) => [
      ago(failure.at, now),
      failure.kind,
      failure.subject,
      cellText(failure.message),
    ]);
    parts.push(table(FAILURE_COLUMNS, lines));
  }
  return parts.join("\n\n");
}

function since(at: number | null, now: number): string {
  return at === null ? NEVER : ago(at, now);
}
