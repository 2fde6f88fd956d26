import type { TurnEvents } from "../../agent/turn/ports.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Instrument } from "../../core/instrument.ts";
import type { Clock } from "../../core/runtime.ts";
import type { DeliveryEvents } from "../../delivery/pacing.ts";

/** Turns whose answer is on its way, for the time people waited for it; bounded, since a silent turn never sends one. */
const REMEMBERED = 1_000;

/** Turns what happens into the metrics of OP-8. */
export function createInstrumented(deps: { readonly instrument: Instrument; readonly clock: Clock }): {
  readonly onTurn: TurnEvents;
  readonly onDelivery: DeliveryEvents;
} {
  const { instrument, clock } = deps;
  const asked = new Map<TurnId, { readonly at: number; first: boolean }>();

  return {
    onTurn: (event) => {
      switch (event.type) {
        case "turn_begun":
          if (event.receivedAt !== null) asked.set(event.turn.id, { at: event.receivedAt, first: true });
          if (asked.size > REMEMBERED) asked.delete(asked.keys().next().value ?? "");
          return;
        case "step":
          instrument.step({ model: event.model, result: "ok", ms: event.ms });
          instrument.tokens({ model: event.model, usage: event.usage });
          return;
        case "tool_begun":
          return;
        case "tool_ended":
          instrument.toolCall({ tool: event.tool, status: event.status, ms: event.ms });
          return;
        case "turn_ended":
          instrument.turnEnded({ outcome: event.outcome, ms: event.ms });
          return;
      }
    },
    onDelivery: (event) => {
      if (event.type !== "settled") return;
      const { delivery, state } = event;
      const { channel } = delivery.route;
      instrument.delivery({ channel, state });
      const question = delivery.turnId === null ? undefined : asked.get(delivery.turnId);
      if (state !== "sent" || question === undefined || delivery.turnId === null) return;
      const ms = clock.now() - question.at;
      if (question.first) instrument.answered({ channel, part: "first", ms });
      question.first = false;
      if (event.isPreview) return;
      instrument.answered({ channel, part: "final", ms });
      asked.delete(delivery.turnId);
    },
  };
}
