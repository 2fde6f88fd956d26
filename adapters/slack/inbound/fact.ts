import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { BotFacts, Directory } from "../address.ts";

/** What an event says, in the product's words. */
export type SlackFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** Somebody opened a thread in the assistant's pane: what is written there later is a thread of its own (SK-8). */
  | { readonly kind: "assistant"; readonly channel: string; readonly threadTs: string }
  /** The token no longer works. */
  | { readonly kind: "revoked"; readonly reason: string }
  /** Starts nothing, and `why`. `event`: a message whose reason is kept for `/why` (IN-17); absent: the log tells. */
  | { readonly kind: "nothing"; readonly why: string; readonly event?: InboundEvent };

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  /** When the event was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
  readonly directory: Directory;
}
