import type { AcceptResult, InboundEvent } from "../../core/message/inbound-event.ts";
import { nextHeldEvent } from "../../store/reads/inbound/inbox.ts";
import { dropHeld } from "../../store/steps/inbound/hold-event.ts";
import type { Store } from "../../store/store.ts";
import type { TaskHandler } from "../../work/work-queue.ts";

/**
 * The task `admit-held`; the key is a conversation's. Decides the messages that waited while a thread was being made there,
 * in the order they came, as if they had come at their time (TB-1). A row goes when its event is committed.
 */
export function createAdmitHeld(deps: {
  readonly store: Store;
  readonly accept: (event: InboundEvent, heldAt: number) => Promise<AcceptResult>;
}): TaskHandler {
  return async (conversation, _slot, signal) => {
    while (!signal.aborted) {
      const held = await deps.store.read(nextHeldEvent, conversation);
      if (held === null) return;
      await deps.accept(held.event, held.heldAt);
      await deps.store.step(dropHeld, { identity: held.identity, conversation });
    }
  };
}
