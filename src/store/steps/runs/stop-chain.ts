import { type ChainLimits, type ChainStop, modelCallStop } from "../../../core/session/chain.ts";
import { stoppedAmong } from "../../parts/chains.ts";
import { defineStep } from "../../store.ts";

/** Before a model call of a turn that no person asked for (ST-28): what stops its chain now; the person of its origin is told once. */
export const stopChain = defineStep(
  "stop-chain",
  "normal",
  async (context, input: { readonly id: string; readonly limits: ChainLimits }): Promise<ChainStop | null> => {
    const stopped = await stoppedAmong(context, [input.id], input.limits, modelCallStop);
    return stopped.get(input.id) ?? null;
  },
);
