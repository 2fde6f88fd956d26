import type { Command } from "commander";
import { CANDIDATE_COLUMNS, nothingKnown, RECEIVED, SENT, severalMessages } from "../../core/texts/cli/deliveries.ts";
import { HELP } from "../../core/texts/cli/help.ts";
import { tellDelivery, timeText } from "../../trace/delivery-text.ts";
import { tellEvent } from "../../trace/event-text.ts";
import type { Candidate } from "../../trace/find-message.ts";
import { toldText } from "../../trace/told-text.ts";
import type { CliDeps } from "../deps.ts";
import { CliFailure, Invocation } from "../invocation.ts";
import { table } from "../output.ts";

/**
 * `switchyard why <message>`: what happened to a message and why, or why a sent one went where it went (IN-17,
 * CM-8, DL-16). Exit code 1 when nothing is known of it, or when the id names several.
 */
export function addWhy(program: Command, deps: CliDeps): void {
  program
    .command("why")
    .argument("<message>", HELP.whyMessage)
    .description(HELP.why)
    .action(async (reference: string, _options, command: Command) => {
      const call = new Invocation(deps, command);
      const found = await call.look((reads) => reads.why({ reference }));
      if (found.found === "none") throw new CliFailure(nothingKnown(reference, found.advice));
      const now = deps.clock.now();
      call.print(found, () =>
        found.found === "several"
          ? severalText(found.candidates)
          : [
              ...found.events.map((one) => tellEvent(one, now)),
              ...found.deliveries.map((one) => tellDelivery(one, now)),
            ]
              .map(toldText)
              .join("\n\n"),
      );
      if (found.found === "several") call.fail();
    });
}

function severalText(candidates: readonly Candidate[]): string {
  const rows = candidates.map(({ reference, direction, accountId, at }) => [
    reference,
    accountId,
    direction === "in" ? RECEIVED : SENT,
    timeText(at),
  ]);
  return severalMessages(table(CANDIDATE_COLUMNS, rows));
}
