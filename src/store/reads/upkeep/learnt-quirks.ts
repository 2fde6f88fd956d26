import type { LearntQuirks } from "../../../core/quirks.ts";
import { defineRead } from "../../store.ts";

/** What refused requests taught of a model (`provider/model`), expired or not; null: nothing. */
export const learntQuirks = defineRead("learnt-quirks", async (db, model: string): Promise<LearntQuirks | null> => {
  const row = await db
    .selectFrom("account_state")
    .select("value")
    .where("channel", "=", "models")
    .where("account_id", "=", model)
    .where("name", "=", "learnt")
    .executeTakeFirst();
  return row === undefined ? null : (JSON.parse(row.value) as LearntQuirks);
});

export const allLearntQuirks = defineRead(
  "all-learnt-quirks",
  async (db): Promise<readonly { readonly model: string; readonly learnt: LearntQuirks }[]> => {
    const rows = await db
      .selectFrom("account_state")
      .select(["account_id", "value"])
      .where("channel", "=", "models")
      .where("name", "=", "learnt")
      .orderBy("account_id")
      .execute();
    return rows.map((row) => ({ model: row.account_id, learnt: JSON.parse(row.value) as LearntQuirks }));
  },
);
