import type { AgentId } from "../../core/ids.ts";
import type { TokenUsage } from "../../core/message/transcript.ts";
import { SPENDING_SLOT_MS } from "../../core/session/spending.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";

interface Spent {
  readonly agentId: AgentId;
  readonly slot: number;
  readonly model: string;
  readonly input: number;
  readonly output: number;
}

const added = defineStatement((db, { agentId, slot, model, input, output }: Spent) =>
  db
    .insertInto("spending")
    .values({ agent_id: agentId, slot, model, input, output })
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "slot", "model"]).doUpdateSet((eb) => ({
        input: eb("spending.input", "+", eb.ref("excluded.input")),
        output: eb("spending.output", "+", eb.ref("excluded.output")),
      })),
    ),
);

/** Part of a step: a model call counts towards its agent's day (TN-19), whatever becomes of its session. */
export async function countSpending(
  { db, now }: StepContext,
  { agentId, model, usage }: { readonly agentId: AgentId; readonly model: string; readonly usage: TokenUsage },
): Promise<void> {
  const slot = Math.floor(now / SPENDING_SLOT_MS);
  await added.run(db, { agentId, slot, model, input: usage.input, output: usage.output });
}
