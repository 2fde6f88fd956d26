import type { Route, ThreadContent } from "../../../core/delivery/delivery.ts";
import type { BindingLimits } from "../../../core/session/run.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import { bindNow, insertPending } from "../../parts/bind.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { defineStep } from "../../store.ts";

export interface FocusInput extends BindingLimits {
  /** The command that asked: run again, it changes nothing. */
  readonly cause: string;
  readonly sessionKey: SessionKey;
  readonly actor: string;
  /** Where the person wrote. */
  readonly route: Route;
  /** Set: a new thread is made from there; null: the thread itself is bound. */
  readonly thread: ThreadContent | null;
}

/** `/focus` (TB-5): the only way a bound conversation gets another session (TB-4). */
export const focus = defineStep("focus", "full", async (context, input: FocusInput): Promise<void> => {
  const { cause, sessionKey, actor, route, thread, idleMs, maxAgeMs } = input;
  const binding = { id: `focus:${cause}`, sessionKey, createdBy: actor, runId: null, idleMs, maxAgeMs };
  if (thread === null) {
    await bindNow(context, { ...binding, route }, { actorType: "human", actor });
    return;
  }
  const deliveryKey = `focus:${cause}`;
  await insertPending(context, { ...binding, from: route, deliveryKey });
  const deliveries = [{ key: deliveryKey, route, content: thread }];
  await insertDeliveries(context, { deliveries, sessionKey: null, turnId: null, runId: null });
});
