import { conversationKey } from "../../core/delivery/route.ts";
import { factsOf, type InboundAttachment, type InboundEvent, identityKey } from "../../core/message/inbound-event.ts";
import type { CommandPayload, EventPayload } from "../../core/message/inbox-item.ts";
import type { Provenance } from "../../core/message/transcript.ts";
import type { ThinkingLevel } from "../../core/session/session.ts";
import type { Settings } from "../../core/settings.ts";
import { cutBytes } from "../../core/text/cut.ts";
import type { RecognisedCommand } from "../../routing/commands-gate.ts";
import type { EventRow } from "../../store/parts/event-row.ts";
import { triage } from "./attachments.ts";

/** One inbound message is cut here, in bytes (TN-17). */
const MAX_TEXT_BYTES = 64 * 1024;
const CUT_NOTE = "\n[… cut: one message may be 64 KiB]";
/** How long an album may take to arrive after its latest part, in milliseconds. */
const ALBUM_WAIT_MS = 700;
/** How long a text of full length waits for its continuation (IN-13). */
const CONTINUATION_WAIT_MS = 1_500;

export function limitedText(text: string): string {
  return cutBytes(text, MAX_TEXT_BYTES, CUT_NOTE).text;
}

/** The album's key: albums of two conversations never meet. */
export function albumKey(event: InboundEvent): string | null {
  return event.albumId === null ? null : `${conversationKey(event.route)}/${encodeURIComponent(event.albumId)}`;
}

/** `identity`: another message's, when an edit stands for the message it changed. */
export function eventRow(event: InboundEvent, identity: string = identityKey(event.identity)): EventRow {
  return {
    identity,
    channel: event.route.channel,
    accountId: event.accountId,
    conversation: conversationKey(event.route),
    messageId: event.identity.messageId,
    senderId: event.sender.id,
    fromBot: event.sender.isBot,
    facts: factsOf(event),
    album: albumKey(event),
    link: event.link,
  };
}

export function humanProvenance(event: InboundEvent): Provenance {
  const { route, sender, identity } = event;
  return {
    kind: "human",
    sender: { channel: route.channel, accountId: route.accountId, id: sender.id },
    senderName: sender.name,
    messageId: identity.messageId,
  };
}

export interface MessageInput {
  readonly event: InboundEvent;
  readonly identity: string;
  readonly text: string;
  readonly thinking: ThinkingLevel | null;
  readonly plain: boolean;
  /** Attachments of earlier, unaddressed parts of the album, with the identities they came by. */
  readonly earlier: readonly (InboundAttachment & { readonly identity: string })[];
  readonly settings: Settings;
  readonly now: number;
}

/** A person's message as an input (IN-10), with what it must still wait for before a turn may take it. */
export function messagePayload(input: MessageInput): EventPayload {
  const { event, identity, settings, now } = input;
  const { fetch, notes } = triage(event.attachments, settings.media.maxBytes);
  const text = limitedText(input.text);
  const label = "label" in event.thread ? event.thread.label : null;
  const places = [event.peer.label, label].filter((part) => part !== null);
  return {
    kind: "event",
    text,
    senderName: event.sender.name,
    senderId: event.sender.id,
    messageId: event.identity.messageId,
    conversationLabel: places.length === 0 ? null : places.join(" / "),
    sentAt: event.sentAt,
    reply:
      event.replyTo === null ? null : { senderName: event.replyTo.senderName, text: limitedText(event.replyTo.text) },
    attachments: [],
    attachmentNotes: notes,
    context: [],
    directives: { thinking: input.thinking },
    plain: input.plain,
    gathering: {
      album: albumKey(event),
      ...burst(event, settings, now),
      attachments: [...input.earlier, ...fetch.map((attachment) => ({ ...attachment, identity }))],
      parts: [{ identity, text }],
    },
  };
}

/** How long the input is held for more of it (IN-12, IN-13). Media are never part of a burst. */
function burst(event: InboundEvent, settings: Settings, now: number): { debounce: boolean; until: number } {
  if (event.albumId !== null) return { debounce: false, until: now + ALBUM_WAIT_MS };
  const { debounceMs } = settings.messages;
  const wait = Math.max(debounceMs, event.fullLength ? CONTINUATION_WAIT_MS : 0);
  if (event.attachments.length > 0 || wait === 0) return { debounce: false, until: 0 };
  return { debounce: true, until: now + wait };
}

export function commandPayload(event: InboundEvent, command: RecognisedCommand, denied: string | null): CommandPayload {
  return {
    kind: "command",
    name: command.name,
    args: limitedText(command.args),
    native: command.native,
    interactionId: command.interactionId,
    denied,
    direct: event.peer.kind === "direct",
    senderName: event.sender.name,
    senderId: event.sender.id,
    messageId: event.identity.messageId,
    ...(event.replyTo === null ? {} : { repliesTo: event.replyTo.messageId }),
    sentAt: event.sentAt,
  };
}

/** What is remembered of an unaddressed message (IN-7): its text, and that files were there. */
export function keptText(event: InboundEvent): string {
  const names = event.attachments.map((attachment) => attachment.name).join(", ");
  const files = names === "" ? "" : `(sent ${names})`;
  return limitedText([event.text, files].filter((part) => part.trim() !== "").join("\n"));
}
