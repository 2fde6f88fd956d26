import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import { DELIVERY_STATES, type Delivery, type DeliveryState } from "../../core/delivery/delivery.ts";
import { assertNever } from "../../core/runtime.ts";
import type { LostResult } from "../../store/reads/runs/runs.ts";
import type { DeliveryCommandResult } from "../../store/steps/delivery/retry-delivery.ts";
import type { RetryCompletionResult } from "../../store/steps/runs/retry-completion.ts";
import { placeText, tellDelivery } from "../../trace/delivery-text.ts";
import { toldText } from "../../trace/told-text.ts";
import { deliveryId, deliveryOrRun, positiveNumber, timeSpan } from "../arguments.ts";
import type { DeliveriesInput } from "../control/api.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, Invocation } from "../invocation.ts";
import { ago, oneLine, table } from "../output.ts";

/** `switchyard deliveries`, `… results`, `… retry <id>`, `… dismiss <id>`: the outbox (DL-13), and results that were lost (CP-2). */
export function addDeliveries(program: Command, deps: CliDeps): void {
  const deliveries = program
    .command("deliveries")
    .option("--failed", "only failed and unconfirmed ones")
    .addOption(new Option("--state <state>", "only those in this state").choices(DELIVERY_STATES))
    .option("--channel <channel>", "only to this channel")
    .option("--account <account>", "only by this account")
    .option("--to <id>", "only to this conversation or thread, by the platform's id")
    .option("--session <key>", "only of this session")
    .addOption(new Option("--since <time>", "only of the last 20m, 2h, 3d …").argParser(timeSpan))
    .addOption(new Option("--limit <count>", "at most this many").default(50).argParser(positiveNumber))
    .description("show what was sent and what was not")
    .action(async (options: ListOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const asked = asFilter(options, deps.clock.now());
      const found = await call.look((reads) => reads.deliveries(asked));
      call.print(found, (list) => deliveriesText(list, { now: deps.clock.now(), options }));
    });
  deliveries
    .command("show")
    .argument("<id>", "the delivery's number", deliveryId)
    .description("show the whole history of one: what it answers, why it goes there, every try")
    .action(async (id: number, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const trace = await call.look((reads) => reads.delivery({ id }));
      if (trace === null) throw notThere(id);
      call.print(trace, (one) =>
        [toldText(tellDelivery(one, deps.clock.now())), ...textLines(one.delivery)].join("\n"),
      );
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

interface ListOptions {
  readonly failed?: boolean;
  readonly state?: DeliveryState;
  readonly channel?: string;
  readonly account?: string;
  readonly to?: string;
  readonly session?: string;
  readonly since?: number;
  readonly limit: number;
}

function asFilter(options: ListOptions, now: number): DeliveriesInput {
  const { failed, state, channel, account, to, session, since, limit } = options;
  return {
    ...{ failed: failed === true, limit, state, channel, accountId: account, to, sessionKey: session },
    since: since === undefined ? undefined : now - since,
  };
}

function notThere(id: number): CliFailure {
  return new CliFailure(
    `there is no delivery ${id}`,
    "`switchyard deliveries` lists them; what is sent stays listed for store.retention.records.",
  );
}

/** The words themselves, for whoever may read this machine's store anyway. */
function textLines(delivery: Delivery): readonly string[] {
  const { content } = delivery;
  if (content.kind !== "message") return [];
  return ["  text", ...content.piece.plain.split("\n").map((line) => `    ${line}`)];
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
  if (result.result === "not_found") return notThere(id);
  return new CliFailure(`delivery ${id} is ${result.state}, so there is nothing to ${action}`);
}

function deliveriesText(list: readonly Delivery[], { now, options }: { now: number; options: ListOptions }): string {
  if (list.length === 0) return noneText(options);
  const rows = list.map((delivery) => [
    String(delivery.id),
    delivery.state,
    ago(delivery.createdAt, now),
    placeText(delivery.route),
    String(delivery.attempts),
    oneLine(delivery.reason ?? contentText(delivery)),
  ]);
  return table(["id", "state", "age", "to", "tries", "reason or text"], rows);
}

function noneText({ failed, limit: _limit, ...filters }: ListOptions): string {
  if (Object.keys(filters).length > 0) return "No delivery is like that.";
  return failed === true ? "No delivery failed." : "Nothing was sent yet.";
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
