import type { AgentId } from "../../../core/ids.ts";
import { SPENDING_SLOT_MS, type Spending } from "../../../core/session/spending.ts";
import { defineRead } from "../../store.ts";

/** What an agent used since a time, by model (TN-19). */
export const spentSince = defineRead(
  "spent-since",
  async (db, input: { readonly agentId: AgentId; readonly since: number }): Promise<readonly Spending[]> => {
    const rows = await db
      .selectFrom("spending")
      .select((eb) => [
        "model",
        eb.fn.sum("input").as("input"),
        eb.fn.sum("output").as("output"),
        eb.fn.sum("cached").as("cached"),
        eb.fn.sum("cache_write").as("cache_write"),
      ])
      .where("agent_id", "=", input.agentId)
      .where("slot", ">=", Math.floor(input.since / SPENDING_SLOT_MS))
      .groupBy("model")
      .execute();
    return rows.map((row) => ({
      model: row.model,
      input: Number(row.input),
      output: Number(row.output),
      cached: Number(row.cached),
      cacheWrite: Number(row.cache_write),
    }));
  },
);
