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
