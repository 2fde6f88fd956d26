import type { InboundEvent, ThreadChange } from "../../../src/core/message/inbound-event.ts";
import { ignoredEvent } from "../../../src/core/texts/rules.ts";
import type { Place } from "../address.ts";
import type { DiscordThread } from "./content.ts";
import type { DiscordFact, Reading } from "./fact.ts";
import { identityOf, nobody, withoutWords } from "./inbound.ts";

/** Whether a thread accepts messages: archived ones open when a person writes, locked ones only for moderators. */
export type ThreadState = "open" | "archived" | "locked";

export function threadState({ thread_metadata: facts }: Pick<DiscordThread, "thread_metadata">): ThreadState {
  if (facts?.locked === true) return "locked";
  return facts?.archived === true ? "archived" : "open";
}

/**
 * What a thread's update means for its binding (TB-6). `before` null: nothing was known of it, because it was archived when
 * the bot connected; a new name of an open thread is no change.
 */
export function readThreadUpdate(before: ThreadState | null, after: ThreadState, reading: Reading): DiscordFact {
  if (before === after) return { kind: "nothing", why: ignoredEvent.threadUnchanged };
  return placeChange(after === "open" ? "unarchived" : after, reading);
}

/** A thread or channel was deleted, or the bot was removed from its guild. */
export function placeChange(what: ThreadChange["what"], reading: Reading): DiscordFact {
  const { place, accountId, now } = reading;
  const event: InboundEvent = {
    ...withoutWords(place, accountId),
    // A thread can go through the same states many times; a replay is told apart by the state before it.
    identity: identityOf(reading, place.id, { kind: "thread_changed", version: `${what}.${now}` }),
    kind: "thread_changed",
    sender: nobody(),
    threadChange: { what },
    sentAt: now,
    link: null,
  };
  return { kind: "event", event };
}

/** A place as described by the event that changes or removes it; a moment later Discord may no longer know it. */
export function placeAsTold(
  facts: { readonly id: string; readonly guildId: string | null; readonly parentId: string | null },
  name: string | null,
): Place {
  const { id, guildId, parentId } = facts;
  const parent = parentId === null ? null : { id: parentId, name: null, holdsMessages: true };
  return { id, kind: parent === null ? "channel" : "thread", name, guildId, parent, recipient: null, botRoleId: null };
}
