import type { Command } from "commander";
import { accountName } from "../../channel/descriptor.ts";
import type { StatusReport } from "../control/api.ts";
import type { CliDeps } from "../deps.ts";
import { Invocation } from "../invocation.ts";
import { ago, oneLine, plural, table } from "../output.ts";

/** `switchyard status`: the process, its accounts and what is open (CH-5, OP-5). */
export function addStatus(program: Command, deps: CliDeps): void {
  program
    .command("status")
    .description("show the process, its accounts, and what waits or failed")
    .action(async (_options, command: Command) => {
      const call = new Invocation(deps, command);
      call.print(await call.look((reads) => reads.status({})), (report) => statusText(report, deps.clock.now()));
    });
}

function statusText(report: StatusReport, now: number): string {
  const { process, accounts, servers, counts, failures } = report;
  const parts: string[] = [];
  if (process !== null) {
    const page = process.url === null ? "" : `, page at ${process.url}`;
    parts.push(
      `Switchyard ${process.version} runs as process ${process.pid} since ${ago(process.startedAt, now)}${page}.`,
    );
  }
  const rows = accounts.map((account) => {
    const health = account.health;
    if (health === null) return [accountName(account), "not running", "", "", "", ""];
    return [
      accountName(account),
      health.state,
      ago(health.since, now),
      since(health.lastInboundAt, now),
      since(health.lastOutboundAt, now),
      oneLine(health.lastError ?? ""),
    ];
  });
  parts.push(table(["account", "state", "since", "last in", "last out", "last error"], rows));
  if (servers.length > 0) {
    const lines = servers.map(({ name, state, since, tools, lastError }) => [
      name,
      state,
      state === "not running" ? "" : ago(since, now),
      state === "ready" ? String(tools) : "",
      oneLine(lastError ?? ""),
    ]);
    parts.push(table(["MCP server", "state", "since", "tools", "last error"], lines));
  }
  parts.push(
    [
      plural(counts.sessions, "session"),
      `${plural(counts.openTurns, "turn")} and ${plural(counts.openRuns, "run")} open`,
      `${plural(counts.waitingInputs, "input")} waiting${counts.oldestWaitingAt === null ? "" : ` (oldest ${ago(counts.oldestWaitingAt, now)})`}`,
      `${plural(counts.openDeliveries, "delivery", "deliveries")} on the way, ${counts.lostDeliveries} lost`,
      `${plural(counts.pairingRequests, "pairing request")} waiting`,
    ].join("\n"),
  );
  if (failures.length > 0) {
    const lines = failures.map((failure) => [
      ago(failure.at, now),
      failure.kind,
      failure.subject,
      oneLine(failure.message),
    ]);
    parts.push(table(["failed", "what", "where", "why"], lines));
  }
  return parts.join("\n\n");
}

function since(at: number | null, now: number): string {
  return at === null ? "never" : ago(at, now);
}
