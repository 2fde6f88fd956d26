import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import type { Delivery } from "../../core/delivery.ts";
import { assertNever } from "../../core/runtime.ts";
import type { LostResult } from "../../store/reads/lost-results.ts";
import type { RetryCompletionResult } from "../../store/steps/retry-completion.ts";
import type { DeliveryCommandResult } from "../../store/steps/retry-delivery.ts";
import { deliveryId, deliveryOrRun, positiveNumber } from "../arguments.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";
import { ago, oneLine, table } from "../output.ts";

/** `switchyard deliveries`, `… results`, `… retry <id>`, `… dismiss <id>`: the outbox (DL-13), and results that were lost (CP-2). */
export function addDeliveries(program: Command, deps: CliDeps): void {
  const deliveries = program
    .command("deliveries")
    .option("--failed", "only failed and unconfirmed ones")
    .addOption(new Option("--limit <count>", "at most this many").default(50).argParser(positiveNumber))
    .description("show what was sent and what was not")
    .action(async (options: { failed?: boolean; limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) =>
        reads.deliveries({ failed: options.failed === true, limit: options.limit }),
      );
      call.print(found, (list) => deliveriesText(list, { now: deps.clock.now(), failed: options.failed === true }));
    });
  deliveries
    .command("results")
    .addOption(new Option("--limit <count>", "at most this many").default(50).argParser(positiveNumber))
    .description("show sub-agents' results that could not be worked on")
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.lostResults({ limit }));
      call.print(found, (list) => resultsText(list, deps.clock.now()));
    });
  deliveries
    .command("retry")
    .argument("<id>", "the delivery's number, or the run of a result", deliveryOrRun)
    .description("send a failed or unconfirmed delivery again, or hand a result over again")
    .action(async (id: number | string, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      if (typeof id === "string") {
        const retried = await control.retryResult({ runId: id, id: randomUUID() });
        if (retried.result !== "done") throw resultRefusal(id, retried);
        call.print({ id, result: "done" }, () => `The result of run ${id} is handed over again.`);
        return;
      }
      const result = await control.retryDelivery({ id });
      if (result.result !== "done") throw refusal(id, "retry", result);
      call.print({ id, result: "done" }, () => `Delivery ${id} is sent again.`);
    });
  deliveries
    .command("dismiss")
    .argument("<id>", "the delivery's number", deliveryId)
    .description("give up a failed, unconfirmed or waiting delivery")
    .action(async (id: number, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const result = await (await call.process()).dismissDelivery({ id });
      if (result.result !== "done") throw refusal(id, "dismiss", result);
      call.print({ id, result: "done" }, () => `Delivery ${id} is given up.`);
    });
}

function resultRefusal(runId: string, result: Exclude<RetryCompletionResult, { readonly result: "done" }>): CliFailure {
  switch (result.result) {
    case "not_found":
      return new CliFailure(`there is no result of a run ${runId}`, "`switchyard deliveries results` lists them.");
    case "requester_gone":
      return new CliFailure(`the session that asked for run ${runId} is gone`);
    case "refused":
      return new CliFailure(`the result of run ${runId} is ${result.state}, so there is nothing to retry`);
    default:
      return assertNever(result);
  }
}

function resultsText(list: readonly LostResult[], now: number): string {
  if (list.length === 0) return "No result was lost.";
  const rows = list.map(({ runId, label, requester, reason, at }) => [
    runId,
    ago(at, now),
    label ?? "",
    requester,
    oneLine(reason),
  ]);
  return table(["run", "age", "name", "for", "reason"], rows);
}

function refusal(
  id: number,
  action: string,
  result: Exclude<DeliveryCommandResult, { readonly result: "done" }>,
): CliFailure {
  if (result.result === "not_found")
    return new CliFailure(`there is no delivery ${id}`, "`switchyard deliveries` lists them.");
  return new CliFailure(`delivery ${id} is ${result.state}, so there is nothing to ${action}`);
}

function deliveriesText(list: readonly Delivery[], { now, failed }: { now: number; failed: boolean }): string {
  if (list.length === 0) return failed ? "No delivery failed." : "Nothing was sent yet.";
  const rows = list.map((delivery) => [
    String(delivery.id),
    delivery.state,
    ago(delivery.createdAt, now),
    `${delivery.route.channel}/${delivery.route.accountId} ${delivery.route.to}${delivery.route.threadId === null ? "" : `#${delivery.route.threadId}`}`,
    String(delivery.attempts),
    oneLine(delivery.reason ?? contentText(delivery)),
  ]);
  return table(["id", "state", "age", "to", "tries", "reason or text"], rows);
}

function contentText({ content }: Delivery): string {
  switch (content.kind) {
    case "message":
      return content.piece.plain;
    case "file":
      return `file ${content.file.name}`;
    case "delete":
      return "takes a message back";
    case "thread":
      return `makes the thread "${content.title}"`;
  }
}
