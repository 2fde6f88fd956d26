import { type Command, Option } from "commander";
import type { Delivery } from "../../core/delivery.ts";
import type { DeliveryCommandResult } from "../../store/steps/retry-delivery.ts";
import { deliveryId, positiveNumber } from "../arguments.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure } from "../failure.ts";
import { Invocation } from "../invocation.ts";
import { ago, oneLine, table } from "../output.ts";

/** `switchyard deliveries`, `… retry <id>`, `… dismiss <id>`: the outbox (DL-13). */
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
  for (const [name, help] of [
    ["retry", "send a failed or unconfirmed delivery again"],
    ["dismiss", "give up a failed, unconfirmed or waiting delivery"],
  ] as const) {
    deliveries
      .command(name)
      .argument("<id>", "the delivery's number", deliveryId)
      .description(help)
      .action(async (id: number, _options, command: Command) => {
        const call = new Invocation(deps, command);
        const control = await call.process();
        const result = name === "retry" ? await control.retryDelivery({ id }) : await control.dismissDelivery({ id });
        if (result.result !== "done") throw refusal(id, name, result);
        call.print({ id, result: "done" }, () =>
          name === "retry" ? `Delivery ${id} is sent again.` : `Delivery ${id} is given up.`,
        );
      });
  }
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
