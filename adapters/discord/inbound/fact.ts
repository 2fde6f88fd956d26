import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { BotFacts, Place } from "../address.ts";

/** What an event says, in the product's words. */
export type DiscordFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** Stores nothing; `why` is for the log. */
  | { readonly kind: "nothing"; readonly why: string };

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  readonly place: Place;
  /** When the event was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
}
