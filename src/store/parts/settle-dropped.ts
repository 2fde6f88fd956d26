import type { InboxItem } from "../../core/message/inbox-item.ts";
import type { StepContext } from "../store.ts";
import { settleCompletions } from "./end-run.ts";
import { settleExchange } from "./settle-exchange.ts";

/**
 * Part of a step: inputs that no turn will work on any more leave nobody waiting. Whoever waits for a reply learns that none
 * will come (FC-020), and a result that nobody reads any more is listed as such and wakes nobody (TN-8, CP-11).
 */
export async function settleDropped(
  context: StepContext,
  items: readonly Pick<InboxItem, "payload" | "runId">[],
  reason: string,
): Promise<void> {
  for (const { payload, runId } of items) {
    if (payload.kind === "completion") {
      await settleCompletions(context, payload.runIds, { state: "silent", reason });
    }
    if (payload.kind !== "inter_session" || runId === null) continue;
    const error = "the target was stopped before it replied";
    await settleExchange(context, { runId, payload }, { outcome: "dropped", text: null, error });
  }
}
