/** `/activation` (CM-13): when the bot answers in a group, whatever `requireMention` says. */
export const ACTIVATIONS = ["mention", "always"] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** The name under which `account_state` keeps the activation of a group or channel, or of a thread or topic in it. */
export function activationName(peerId: string, threadId: string | null): string {
  return `${activationPrefix(peerId)}${threadId ?? ""}`;
}

/** What all names of one group or channel begin with. */
export function activationPrefix(peerId: string): string {
  return `activation/${encodeURIComponent(peerId)}/`;
}

/** Any other value says nothing: the configuration decides. */
export function readActivation(value: string | null | undefined): Activation | null {
  return ACTIVATIONS.find((known) => known === value) ?? null;
}

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
