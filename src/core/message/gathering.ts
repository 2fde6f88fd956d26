import type { GatheredPart, Gathering, InboxPayload } from "./inbox-item.ts";

export type EventPayload = Extract<InboxPayload, { readonly kind: "event" }>;
/** An input that is made of parts and may still change. */
export type GatheringPayload = EventPayload & { readonly gathering: Gathering };

export function isGathering(payload: InboxPayload): payload is GatheringPayload {
  return payload.kind === "event" && payload.gathering !== undefined;
}

/** What an input must still wait for: a later time, or attachments that are not fetched. */
export function mustWait(payload: InboxPayload, now: number): boolean {
  return isGathering(payload) && (payload.gathering.until > now || payload.gathering.attachments.length > 0);
}

/** The payload as it is stored: one that nothing can join any more carries no traces of gathering. */
export function settledPayload(payload: EventPayload, now: number): EventPayload {
  if (payload.gathering === undefined || payload.gathering.album !== null || mustWait(payload, now)) return payload;
  if (payload.gathering.parts.length > 1) return payload;
  const { gathering: _gathering, ...settled } = payload;
  return settled;
}

function joinTexts(parts: readonly GatheredPart[]): string {
  return parts
    .map((part) => part.text)
    .filter((text) => text !== "")
    .join("\n");
}

/** IN-12, IN-13: one more message of the same album or burst joins the input; nothing of either is lost. */
export function joinPayload(into: GatheringPayload, joining: GatheringPayload): GatheringPayload {
  const parts = [...into.gathering.parts, ...joining.gathering.parts];
  return {
    ...into,
    text: joinTexts(parts),
    // A burst is answered at its newest message; an album keeps the message that stands for it.
    messageId: into.gathering.album === null ? joining.messageId : into.messageId,
    reply: into.reply ?? joining.reply,
    attachments: [...into.attachments, ...joining.attachments],
    attachmentNotes: [...into.attachmentNotes, ...joining.attachmentNotes],
    context: [...into.context, ...joining.context],
    directives: { thinking: joining.directives.thinking ?? into.directives.thinking },
    gathering: {
      album: into.gathering.album,
      debounce: into.gathering.debounce && joining.gathering.debounce,
      // A burst waits as long as its newest message says, so the end of a long text ends the wait.
      until:
        into.gathering.album === null
          ? joining.gathering.until
          : Math.max(into.gathering.until, joining.gathering.until),
      attachments: [...into.gathering.attachments, ...joining.gathering.attachments],
      parts,
    },
  };
}

/** Replaces the text of one message of the input (IN-11); null: it says the same already, or is no part of it. */
export function editPart(payload: EventPayload, identity: string, text: string): EventPayload | null {
  const { gathering } = payload;
  if (gathering === undefined) return payload.text === text ? null : { ...payload, text };
  const part = gathering.parts.find((known) => known.identity === identity);
  if (part === undefined || part.text === text) return null;
  const parts = gathering.parts.map((known) => (known === part ? { ...part, text } : known));
  return { ...payload, text: joinTexts(parts), gathering: { ...gathering, parts } };
}

/** Takes one message out of the input (IN-11); null: nothing of the input is left. */
export function removePart(payload: EventPayload, identity: string): EventPayload | null {
  const { gathering } = payload;
  if (gathering === undefined) return null;
  const parts = gathering.parts.filter((part) => part.identity !== identity);
  if (parts.length === 0) return null;
  const attachments = gathering.attachments.filter((attachment) => attachment.identity !== identity);
  return { ...payload, text: joinTexts(parts), gathering: { ...gathering, parts, attachments } };
}
