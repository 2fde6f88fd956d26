import { type EndRunInput, type Killed, killById } from "../../parts/kill-runs.ts";
import { defineStep } from "../../store.ts";

/** Ends one run and its descendants; an ended run is left alone and `runs` is empty (SB-2). */
export const killRun = defineStep("kill-run", "normal", async (context, input: EndRunInput): Promise<Killed> => {
  return killById(context, input, "killed");
});
