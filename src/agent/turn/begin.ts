import { StoreError } from "../../core/errors.ts";
import type { Logger } from "../../core/runtime.ts";
import { parkInputs } from "../../store/steps/inbound/park-inputs.ts";
import { type BeginTurnInput, type BeginTurnResult, beginTurn } from "../../store/steps/turns/begin-turn.ts";
import type { Store } from "../../store/store.ts";

/** TN-20: a turn that cannot begin is tried so often before what it would read is set aside. */
const MAX_TRIES = 3;

/**
 * Begins turns, and keeps an input that makes that impossible from muting its session (TN-20, FC-405). Rejects with what went wrong, to be
 * tried again; null: inputs were set aside, and the next turn is due without them.
 */
export function createBegin({
  store,
  log,
}: {
  readonly store: Pick<Store, "step">;
  readonly log: Logger;
}): (input: BeginTurnInput) => Promise<BeginTurnResult | null> {
  const failed = new Map<string, number>();
  return async (input) => {
    const { sessionKey, toMessage } = input;
    try {
      const begun = await store.step(beginTurn, input);
      failed.delete(sessionKey);
      return begun;
    } catch (error) {
      // Store trouble passes, and says nothing about the input.
      if (error instanceof StoreError) throw error;
      const times = (failed.get(sessionKey) ?? 0) + 1;
      failed.set(sessionKey, times);
      if (times < MAX_TRIES) throw error;
      failed.delete(sessionKey);
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200);
      const parked = await store.step(parkInputs, { sessionKey, toMessage, reason });
      log.error(
        { session: sessionKey, inputs: parked.map(({ cause, key }) => cause ?? key), err: error },
        "no turn could begin three times; its inputs are set aside",
      );
      return null;
    }
  };
}
