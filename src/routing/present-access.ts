import type { ChannelId } from "../core/ids.ts";
import type { AdmissionFacts } from "../core/message/inbound-event.ts";
import type { InboxItem } from "../core/message/inbox-item.ts";
import type { PresentAccessOf } from "../core/session/present-access.ts";
import { lowerRole } from "../core/session/rights.ts";
import type { Settings } from "../core/settings.ts";
import { admit, type ChannelDoor, roleLists, roleOf } from "./admission.ts";

/**
 * Applies the access rules once more to inputs that have waited, by the current settings (IN-18): who may not write here any more is not
 * admitted, and no sender has a higher role than now. What other sessions set off for a person has that person's role.
 */
export function createPresentAccess(rules: {
  settings(): Settings;
  door(channel: ChannelId): ChannelDoor;
}): PresentAccessOf {
  let last: { readonly settings: Settings; readonly of: PresentAccessOf } | null = null;
  return (item, known) => {
    const settings = rules.settings();
    if (last?.settings !== settings) last = { settings, of: accessBy(settings, rules.door) };
    return last.of(item, known);
  };
}

function accessBy(settings: Settings, door: (channel: ChannelId) => ChannelDoor): PresentAccessOf {
  const roles = roleLists(settings);
  return (item, known) => {
    const { role, sender } = item.rights;
    if (sender === null) return { admitted: true, role, commandsDenied: null };
    const own = door(sender.channel);
    const account = settings.accounts.find(
      ({ channel, accountId }) => channel === sender.channel && accountId === sender.accountId,
    );
    const facts = factsOf(item);
    if (account === undefined || facts === null) {
      const now = own.access === "operator" ? role : roleOf(roles, sender, known);
      return { admitted: true, role: lowerRole(role, now), commandsDenied: null };
    }
    const { movedTo, formerPeerId } = known;
    const admission = admit(movedTo === null ? facts : { ...facts, peer: { ...facts.peer, id: movedTo } }, {
      ...{ account, roles, door: own, paired: known },
      formerPeerId: movedTo === null ? formerPeerId : facts.peer.id,
    });
    if (!admission.admitted) return { admitted: false, rule: admission.rule };
    return { admitted: true, role: lowerRole(role, admission.role), commandsDenied: admission.commandsDenied };
  };
}

/** Null: not a message or command of a person, or one of an older release that came from a group. */
function factsOf({ payload, rights }: Pick<InboxItem, "payload" | "rights">): AdmissionFacts | null {
  const { sender, group } = rights;
  if ((payload.kind !== "event" && payload.kind !== "command") || sender === null) return null;
  if (payload.admission !== undefined) return payload.admission;
  if (group !== null) return null;
  return {
    sender: { id: sender.id, isBot: false, isSelf: false, roleIds: [] },
    peer: { kind: "direct", id: sender.id },
    ...{ thread: { kind: "none" }, guildId: null, mentions: { bot: false } },
  };
}
