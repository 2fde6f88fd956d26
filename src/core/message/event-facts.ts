import type { InboundAttachment, InboundEvent, Peer } from "./inbound-event.ts";

/** The facts of an event that one arrival may bring and another lack (IN-2): Slack's `message` and `app_mention` of one post. */
export interface EventFacts {
  readonly mention: boolean;
  readonly replyToBot: boolean;
  readonly otherOnly: boolean;
  readonly peerKind: Peer["kind"];
  readonly peerGuessed: boolean;
  readonly attachments: readonly InboundAttachment[];
}

export function factsOf(event: InboundEvent): EventFacts {
  return {
    mention: event.mentions.bot,
    replyToBot: event.mentions.replyToBot,
    otherOnly: event.mentions.otherOnly,
    peerKind: event.peer.kind,
    peerGuessed: event.peer.kindGuessed === true,
    attachments: event.attachments,
  };
}

/** Both arrivals together: what either knows holds, and a chat type that was said wins over a guessed one. */
export function unionFacts(before: EventFacts, later: EventFacts): EventFacts {
  const mention = before.mention || later.mention;
  const knows = before.peerGuessed && !later.peerGuessed ? later : before;
  const refs = new Set(before.attachments.map((attachment) => attachment.ref));
  return {
    mention,
    replyToBot: before.replyToBot || later.replyToBot,
    otherOnly: !mention && (before.otherOnly || later.otherOnly),
    peerKind: knows.peerKind,
    peerGuessed: knows.peerGuessed,
    attachments: [...before.attachments, ...later.attachments.filter(({ ref }) => !refs.has(ref))],
  };
}

export function sameFacts(a: EventFacts, b: EventFacts): boolean {
  return (
    a.mention === b.mention &&
    a.replyToBot === b.replyToBot &&
    a.otherOnly === b.otherOnly &&
    a.peerKind === b.peerKind &&
    a.peerGuessed === b.peerGuessed &&
    a.attachments.length === b.attachments.length
  );
}

/** The event as if one arrival had brought all its facts. */
export function withFacts(event: InboundEvent, facts: EventFacts): InboundEvent {
  const { kindGuessed: _guessed, ...peer } = event.peer;
  return {
    ...event,
    peer: facts.peerGuessed ? { ...event.peer, kind: facts.peerKind } : { ...peer, kind: facts.peerKind },
    mentions: { bot: facts.mention, replyToBot: facts.replyToBot, otherOnly: facts.otherOnly },
    attachments: facts.attachments,
  };
}
