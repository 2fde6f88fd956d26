import type { ModelRef } from "../core/model.ts";
import { modelRefText } from "../core/models.ts";
import type { LearntQuirks } from "../core/quirks.ts";
import type { Clock, Logger } from "../core/runtime.ts";
import { learntQuirks } from "../store/reads/upkeep/learnt-quirks.ts";
import { setAccountValue } from "../store/steps/upkeep/set-account-value.ts";
import type { Store } from "../store/store.ts";

/** PORT: what was learnt of models at run time (FC-301). */
export interface LearntModels {
  of(model: ModelRef): Promise<LearntQuirks | null>;
  learn(model: ModelRef, learnt: LearntQuirks): Promise<void>;
}

/** Kept in the store and remembered here, so that a call reads it once. A store in trouble costs no answer. */
export function createLearntModels({
  store,
  clock,
  log,
}: {
  store: Pick<Store, "read" | "step">;
  clock: Clock;
  log: Logger;
}): LearntModels {
  const known = new Map<string, LearntQuirks | null>();
  return {
    async of(model) {
      const ref = modelRefText(model);
      if (!known.has(ref)) known.set(ref, await store.read(learntQuirks, ref));
      const learnt = known.get(ref) ?? null;
      return learnt === null || learnt.until <= clock.now() ? null : learnt;
    },
    async learn(model, learnt) {
      const ref = modelRefText(model);
      known.set(ref, learnt);
      log.warn(
        { model: ref, because: learnt.because, leftOut: Object.keys(learnt.quirks) },
        "the model answers a milder request only",
      );
      try {
        await store.step(setAccountValue, {
          channel: "models",
          accountId: ref,
          name: "learnt",
          value: JSON.stringify(learnt),
        });
      } catch (error) {
        log.warn({ err: error, model: ref }, "what was learnt of a model could not be stored");
      }
    },
  };
}
