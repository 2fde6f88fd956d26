import type { Delivery } from "../../../src/core/delivery/delivery.ts";
import type { InboundEvent } from "../../../src/core/message/inbound-event.ts";

const MOST_KEPT = 500;
/** How long Slack takes answers at a response URL; a little less. */
const RESPONSE_MS = 29 * 60_000;

/** Who is waiting for a private answer, and how it gets there (CM-3). */
export type Asker =
  | { readonly by: "slash"; readonly responseUrl: string; readonly at: number }
  | { readonly by: "message"; readonly user: string };

export interface Askers {
  rememberSlash(event: InboundEvent, responseUrl: string): void;
  rememberMessage(event: InboundEvent): void;
  /** The caller that a delivery answers; null: not known (any more), so nothing can be shown to them alone. */
  of(delivery: Delivery, now: number): Asker | null;
}

/**
 * Slack shows an answer to one person only at a URL that came with the call, or by that person's id. Neither is part of a
 * delivery, so both are kept here for a while; after a restart one line in the conversation stands for a private answer, as
 * CM-3 wants it for an interaction that expired.
 */
export function createAskers(): Askers {
  const slashes = new Map<string, Extract<Asker, { by: "slash" }>>();
  const messages = new Map<string, Asker>();

  function keep<T>(map: Map<string, T>, key: string, value: T): void {
    map.set(key, value);
    const oldest = map.keys().next();
    if (map.size > MOST_KEPT && oldest.done !== true) map.delete(oldest.value);
  }

  return {
    rememberSlash({ command, sentAt }, responseUrl) {
      if (command?.interactionId === undefined) return;
      keep(slashes, command.interactionId, { by: "slash", responseUrl, at: sentAt });
    },
    rememberMessage({ route, identity, sender }) {
      keep(messages, `${route.to}/${identity.messageId}`, { by: "message", user: sender.id });
    },
    of({ route, content }, now) {
      if (content.kind !== "message") return null;
      const { interaction, replyTo } = content;
      const call = interaction === undefined ? undefined : slashes.get(interaction.id);
      if (call !== undefined) return now - call.at < RESPONSE_MS ? call : null;
      return replyTo === null ? null : (messages.get(`${route.to}/${replyTo}`) ?? null);
    },
  };
}
