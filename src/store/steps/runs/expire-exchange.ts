import type { RunId } from "../../../core/ids.ts";
import type { Exchange } from "../../../core/session/run.ts";
import { exchangeFromRow } from "../../rows.ts";
import { defineStep } from "../../store.ts";

/** Ends the wait, unless the reply was quicker: compare-and-set, so the reply is inline or late, never both (ST-21). */
export const expireExchange = defineStep(
  "expire-exchange",
  "normal",
  async ({ db }, runId: RunId): Promise<Exchange | null> => {
    await db
      .updateTable("exchanges")
      .set({ state: "expired" })
      .where("run_id", "=", runId)
      .where("state", "=", "waiting")
      .execute();
    const row = await db.selectFrom("exchanges").selectAll().where("run_id", "=", runId).executeTakeFirst();
    return row === undefined ? null : exchangeFromRow(row);
  },
);
