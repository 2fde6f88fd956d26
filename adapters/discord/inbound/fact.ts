import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { BotFacts, Place } from "../address.ts";

/** What an event says, in the product's words. */
export type DiscordFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** An ignored event, and `why`. `event`: a message with a reason for `/why` (IN-17); absent: only the log has it. */
  | { readonly kind: "nothing"; readonly why: string; readonly event?: InboundEvent };

export type NameOf = (kind: "channel" | "role", id: string) => string | null;

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  readonly place: Place;
  /** What a channel or role is called, as far as the gateway has told (FC-210). */
  readonly nameOf: NameOf;
  /** When the event was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
}
