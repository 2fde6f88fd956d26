import type { NewDelivery } from "../../../core/delivery/delivery.ts";
import type { TurnFence } from "../../../core/session/turn.ts";
import { insertDeliveries } from "../../parts/outbox.ts";
import { passFence } from "../../parts/sessions.ts";
import { defineStep } from "../../store.ts";

/** ST-40: a message that the agent sends with a tool goes into the outbox, once per key. It is not part of the turn's answer, so a stop does not withdraw it. */
export const sendMessage = defineStep(
  "send-message",
  "normal",
  async (context, input: TurnFence & { readonly deliveries: readonly NewDelivery[] }): Promise<void> => {
    const { sessionKey } = await passFence(context, input);
    await insertDeliveries(context, { deliveries: input.deliveries, sessionKey, turnId: null, runId: null });
  },
);
