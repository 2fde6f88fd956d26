import { randomUUID } from "node:crypto";
import { type Command, Option } from "commander";
import { DELIVERY_STATES, type Delivery, type DeliveryState } from "../../core/delivery/delivery.ts";
import { assertNever } from "../../core/runtime.ts";
import { quotedName } from "../../core/text/visible.ts";
import {
  createsThread,
  DELETES_MESSAGE,
  DELIVERY_COLUMNS,
  dismissed,
  NO_LOST_RESULT,
  noDeliveries,
  nothingToDo,
  RESULT_COLUMNS,
  requesterGone,
  resultNotLost,
  retrying,
  retryingResult,
  sendsFile,
  unknownDelivery,
  unknownResult,
} from "../../core/texts/cli/deliveries.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import type { LostResult } from "../../store/reads/runs/runs.ts";
import type { DeliveryCommandResult } from "../../store/steps/delivery/retry-delivery.ts";
import type { RetryCompletionResult } from "../../store/steps/runs/retry-completion.ts";
import { placeText, tellDelivery } from "../../trace/delivery-text.ts";
import { toldText } from "../../trace/told-text.ts";
import type { DeliveriesInput } from "../control/api.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, deliveryId, deliveryOrRun, Invocation, positiveNumber, timeSpan } from "../invocation.ts";
import { ago, cellText, table } from "../output.ts";

/** `switchyard deliveries`, `… results`, `… retry <id>`, `… dismiss <id>`: the outbox (DL-13), and results that were lost (CP-2). */
export function addDeliveries(program: Command, deps: CliDeps): void {
  const deliveries = program
    .command("deliveries")
    .option("--failed", HELP.deliveriesFailed)
    .addOption(new Option("--state <state>", HELP.deliveriesState).choices(DELIVERY_STATES))
    .option("--channel <channel>", HELP.deliveriesChannel)
    .option("--account <account>", HELP.deliveriesAccount)
    .option("--to <id>", HELP.deliveriesTo)
    .option("--session <key>", HELP.deliveriesSession)
    .addOption(new Option("--since <time>", HELP.deliveriesSince).argParser(timeSpan))
    .addOption(new Option("--limit <count>", HELP.limit).default(50).argParser(positiveNumber))
    .description(HELP.deliveries)
    .action(async (options: ListOptions, command: Command) => {
      const call = new Invocation(deps, command);
      const asked = asFilter(options, deps.clock.now());
      const found = await call.look((reads) => reads.deliveries(asked));
      call.print(found, (list) => deliveriesText(list, { now: deps.clock.now(), options }));
    });
  deliveries
    .command("show")
    .argument("<id>", HELP.deliveryId, deliveryId)
    .description(HELP.deliveriesShow)
    .action(async (id: number, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const trace = await call.look((reads) => reads.delivery({ id }));
      if (trace === null) throw new CliFailure(unknownDelivery(id));
      call.print(trace, (one) =>
        [toldText(tellDelivery(one, deps.clock.now())), ...textLines(one.delivery)].join("\n"),
      );
    });
  deliveries
    .command("results")
    .addOption(new Option("--limit <count>", HELP.limit).default(50).argParser(positiveNumber))
    .description(HELP.deliveriesResults)
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.lostResults({ limit }));
      call.print(found, (list) => resultsText(list, deps.clock.now()));
    });
  deliveries
    .command("retry")
    .argument("<id>", HELP.deliveryOrRun, deliveryOrRun)
    .description(HELP.deliveriesRetry)
    .action(async (id: number | string, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const control = await call.process();
      if (typeof id === "string") {
        const retried = await control.retryResult({ runId: id, id: randomUUID() });
        if (retried.result !== "done") throw resultRefusal(id, retried);
        call.print({ id, result: "done" }, () => retryingResult(id));
        return;
      }
      const result = await control.retryDelivery({ id });
      if (result.result !== "done") throw refusal(id, "retry", result);
      call.print({ id, result: "done" }, () => retrying(id));
    });
  deliveries
    .command("dismiss")
    .argument("<id>", HELP.deliveryId, deliveryId)
    .description(HELP.deliveriesDismiss)
    .action(async (id: number, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const result = await (await call.process()).dismissDelivery({ id });
      if (result.result !== "done") throw refusal(id, "dismiss", result);
      call.print({ id, result: "done" }, () => dismissed(id));
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

/** The text itself, for people who can read this machine's store anyway. */
function textLines(delivery: Delivery): readonly string[] {
  const { content } = delivery;
  if (content.kind !== "message") return [];
  return ["  text", ...content.piece.plain.split("\n").map((line) => `    ${line}`)];
}

function resultRefusal(runId: string, result: Exclude<RetryCompletionResult, { readonly result: "done" }>): CliFailure {
  switch (result.result) {
    case "not_found":
      return new CliFailure(unknownResult(runId));
    case "requester_gone":
      return new CliFailure(requesterGone(runId));
    case "refused":
      return new CliFailure(resultNotLost(runId, result.state));
    default:
      return assertNever(result);
  }
}

function resultsText(list: readonly LostResult[], now: number): string {
  if (list.length === 0) return NO_LOST_RESULT;
  const rows = list.map(({ runId, label, requester, reason, at }) => [
    runId,
    ago(at, now),
    label === null ? "" : quotedName(label),
    requester,
    cellText(reason),
  ]);
  return table(RESULT_COLUMNS, rows);
}

function refusal(
  id: number,
  action: "retry" | "dismiss",
  result: Exclude<DeliveryCommandResult, { readonly result: "done" }>,
): CliFailure {
  return new CliFailure(result.result === "not_found" ? unknownDelivery(id) : nothingToDo(id, result.state, action));
}

function deliveriesText(list: readonly Delivery[], { now, options }: { now: number; options: ListOptions }): string {
  if (list.length === 0) return noneText(options);
  const rows = list.map((delivery) => [
    String(delivery.id),
    delivery.state,
    ago(delivery.createdAt, now),
    placeText(delivery.route),
    String(delivery.attempts),
    cellText(delivery.reason ?? contentText(delivery)),
  ]);
  return table(DELIVERY_COLUMNS, rows);
}

function noneText({ failed, limit: _limit, ...filters }: ListOptions): string {
  if (Object.keys(filters).length > 0) return noDeliveries("filtered");
  return noDeliveries(failed === true ? "failed" : "all");
}

function contentText({ content }: Delivery): string {
  switch (content.kind) {
    case "message":
      return content.piece.plain;
    case "file":
      return sendsFile(content.file.name);
    case "delete":
      return DELETES_MESSAGE;
    case "thread":
      return createsThread(content.title);
  }
}
