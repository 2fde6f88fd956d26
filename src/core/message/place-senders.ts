/** The stored list of who is let in to a group or channel (CM-14): one name in `account_state` for each of them. */
const KIND = "senders/";

export function placeSenderName(peerId: string, senderId: string): string {
  return `${placeSendersPrefix(peerId)}${encodeURIComponent(senderId)}`;
}

/** What all names of one group or channel begin with. */
export function placeSendersPrefix(peerId: string): string {
  return `${KIND}${encodeURIComponent(peerId)}/`;
}

/** Null: the name is another value's. */
export function readPlaceSender(name: string): { readonly peerId: string; readonly senderId: string } | null {
  const [peer, sender, ...more] = name.startsWith(KIND) ? name.slice(KIND.length).split("/") : [];
  if (peer === undefined || sender === undefined || more.length > 0) return null;
  return { peerId: decodeURIComponent(peer), senderId: decodeURIComponent(sender) };
}
