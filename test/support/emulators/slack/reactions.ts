import { announce } from "./events.ts";
import type { ConversationRecord, StoredMessage } from "./records.ts";
import { refused } from "./refusal.ts";
import type { World } from "./world.ts";

/** Most different emoji on one message, and most by one person. */
const MOST_EMOJI = 50;
const MOST_BY_ONE = 23;

/** Emoji are named without colons; skin tones hang on with `::`. */
const NAME = /^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/;

interface Reacting {
  user: string;
  name: string;
}

function tell(world: World, at: ConversationRecord, stored: StoredMessage, type: string, who: Reacting): void {
  announce(world, at, {
    type,
    user: who.user,
    reaction: who.name,
    item: { type: "message", channel: at.id, ts: stored.message.ts },
    item_user: stored.authorId,
    event_ts: world.nextTs(),
  });
  world.signals.changed();
}

/** Adds a reaction. Refuses names that are none, doubles and too many. */
export function react(world: World, at: ConversationRecord, stored: StoredMessage, who: Reacting): void {
  if (!NAME.test(who.name)) throw refused("invalid_name");
  const reactions = stored.message.reactions ?? [];
  const existing = reactions.find((entry) => entry.name === who.name);
  if (existing?.users.includes(who.user) === true) throw refused("already_reacted");
  if (existing === undefined && reactions.length >= MOST_EMOJI) throw refused("too_many_emoji");
  if (reactions.filter((entry) => entry.users.includes(who.user)).length >= MOST_BY_ONE) {
    throw refused("too_many_reactions");
  }
  if (existing === undefined) reactions.push({ name: who.name, users: [who.user], count: 1 });
  else {
    existing.users.push(who.user);
    existing.count = existing.users.length;
  }
  stored.message.reactions = reactions;
  tell(world, at, stored, "reaction_added", who);
}

/** Takes a reaction back. */
export function unreact(world: World, at: ConversationRecord, stored: StoredMessage, who: Reacting): void {
  const existing = stored.message.reactions?.find((entry) => entry.name === who.name);
  if (existing?.users.includes(who.user) !== true) throw refused("no_reaction");
  existing.users = existing.users.filter((id) => id !== who.user);
  existing.count = existing.users.length;
  const left = (stored.message.reactions ?? []).filter((entry) => entry.count > 0);
  if (left.length === 0) delete stored.message.reactions;
  else stored.message.reactions = left;
  tell(world, at, stored, "reaction_removed", who);
}
