import type { InboundEvent } from "../../src/core/message/inbound-event.ts";

export interface EventSketch extends Partial<Omit<InboundEvent, "identity" | "sender" | "mentions">> {
  readonly messageId?: string;
  readonly version?: string;
  readonly botId?: string;
  readonly sender?: Partial<InboundEvent["sender"]>;
  readonly mentions?: Partial<InboundEvent["mentions"]>;
}

/** A Telegram DM from Ann saying "hello", with what the sketch changes. `sentAt` must be given by tests that move the clock. */
export function sketchEvent(sketch: EventSketch = {}): InboundEvent {
  const { messageId = "1", version = "0", botId = "bot9", sender, mentions, ...rest } = sketch;
  const peer = rest.peer ?? { kind: "direct", id: "111", label: null };
  const accountId = rest.accountId ?? "default";
  const kind = rest.kind ?? "message";
  const route = rest.route ?? { channel: "telegram", accountId, to: peer.id, threadId: null };
  return {
    kind,
    accountId,
    route,
    peer,
    thread: { kind: "none" },
    guildId: null,
    teamId: null,
    text: "hello",
    attachments: [],
    replyTo: null,
    forwarded: false,
    albumId: null,
    target: null,
    command: null,
    fullLength: false,
    sentAt: Date.UTC(2026, 0, 1),
    link: null,
    ...rest,
    identity: { channel: route.channel, botId, conversation: peer.id, messageId, kind, version },
    sender: {
      id: "111",
      name: "Ann",
      username: null,
      isBot: false,
      isSelf: false,
      roleIds: [],
      ...sender,
    },
    mentions: { bot: false, replyToBot: false, otherOnly: false, ...mentions },
  };
}
