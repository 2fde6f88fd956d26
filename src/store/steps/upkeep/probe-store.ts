import { defineStep } from "../../store.ts";

/** As much as the largest of the everyday steps writes: on a nearly full disk a small write proves nothing. */
const PROBE = "0".repeat(256 * 1024);
const ROW = { channel: "", account_id: "", name: "probe" };

/** Writes a row that means nothing: rejects as long as the store cannot be written (OP-10). `removeProbe` follows it. */
export const probeStore = defineStep("probe-store", "full", async ({ db }): Promise<void> => {
  await db
    .insertInto("account_state")
    .values({ ...ROW, value: PROBE })
    .onConflict((conflict) => conflict.columns(["channel", "account_id", "name"]).doUpdateSet({ value: PROBE }))
    .execute();
});

/** A separate step, because what one transaction adds and removes is never written at all. */
export const removeProbe = defineStep("remove-probe", "normal", async ({ db }): Promise<void> => {
  await db.deleteFrom("account_state").where("channel", "=", ROW.channel).where("name", "=", ROW.name).execute();
});
