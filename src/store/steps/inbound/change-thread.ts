import { conversationKey, type Route } from "../../../core/delivery/delivery.ts";
import type { ThreadChange } from "../../../core/message/inbound-event.ts";
import { assertNever } from "../../../core/runtime.ts";
import { type Binding, bindingExpiry } from "../../../core/session/run.ts";
import { threadChanged } from "../../../core/texts/store/outcomes.ts";
import { BY_PLATFORM, endBinding, openBindings, pauseBinding, resumeBinding } from "../../parts/end-binding.ts";
import { type EventRow, storeEvent } from "../../parts/event-row.ts";
import { defineStep, type StepContext } from "../../store.ts";

/**
 * TB-6: the platform reports a change of a thread, or of a whole chat with every thread in it. Returns the rule that
 * `/why` shows. Rejects with `EventChanged` when this very event is stored already.
 */
export const changeThread = defineStep(
  "change-thread",
  "full",
  async (
    context,
    input: { readonly row: EventRow; readonly route: Route; readonly what: ThreadChange["what"] },
  ): Promise<string> => {
    const { route, what } = input;
    const bindings = await openBindings(
      context,
      route.threadId === null ? { chat: route } : { conversation: conversationKey(route) },
    );
    let changed = 0;
    for (const binding of bindings) if (await change(context, binding, what)) changed += 1;
    const rule = threadChanged(what, changed);
    const outcome = { result: "ignored", rule, sessionKey: bindings[0]?.sessionKey ?? null, inboxSeq: null } as const;
    await storeEvent(context, { row: input.row, outcome, expected: null });
    return rule;
  },
);

/** One that is being made is settled by its delivery. */
async function change(context: StepContext, binding: Binding, what: ThreadChange["what"]): Promise<boolean> {
  if (binding.state === "pending") return false;
  switch (what) {
    case "archived":
    case "locked":
      return pauseBinding(context, binding, what);
    case "unarchived": {
      const expiry = bindingExpiry(binding);
      return (expiry === null || expiry.at > context.now) && resumeBinding(context, binding);
    }
    case "deleted":
    case "bot_removed":
      return endBinding(context, binding, { ...BY_PLATFORM, why: what, farewell: false });
    default:
      return assertNever(what);
  }
}
