import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";
import type { BotFacts } from "../address.ts";

/** What an update says, in the product's words. */
export type TelegramFact =
  | { readonly kind: "event"; readonly event: InboundEvent }
  /** A group became a supergroup (SK-9). Both chats say so, in either order. */
  | { readonly kind: "moved"; readonly from: string; readonly to: string }
  /** The bot itself was added, removed, blocked or unblocked. `event`: what that means for the threads in the chat. */
  | {
      readonly kind: "membership";
      readonly chat: string;
      readonly label: string;
      readonly present: boolean;
      readonly event: InboundEvent | null;
    }
  /** Starts nothing, and `why`. `event`: a message whose reason is kept for `/why` (IN-17); absent: the log tells. */
  | { readonly kind: "nothing"; readonly why: string; readonly event?: InboundEvent };

/** What an event is read against. */
export interface Reading {
  readonly bot: BotFacts;
  readonly accountId: string;
  /** When the update was received, in milliseconds: the time of what carries none itself. */
  readonly now: number;
  /** Menu name → the command's own name, where Telegram's alphabet forced another spelling (FC-058). */
  readonly commandNames: ReadonlyMap<string, string>;
}
