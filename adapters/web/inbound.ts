import type { LoggedMessage } from "../../src/channel/capabilities.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import type { InboundAttachment, InboundEvent } from "../../src/core/message/inbound-event.ts";
import type { StoredAttachment } from "../../src/core/message/transcript.ts";
import { pageTexts } from "../../src/core/texts/page.ts";
import { clientIdOf, elementId, OPERATOR, pathOf, peerOf, WEB } from "./address.ts";

/** What an event says of its conversation beyond the message itself. */
export interface ConversationFacts {
  readonly channelTitle: string;
  readonly threadTitle: string | null;
  /** The message the thread was started from; told with the thread's first message only. */
  readonly origin: LoggedMessage | null;
}

/**
 * A person's kept message as an event (IN-1). Pure, and the same for the request and for the offer at the next start, so
 * that both have one identity (IN-2). Null for an agent's message.
 */
export function toEvent(message: LoggedMessage, facts: ConversationFacts): InboundEvent | null {
  const clientId = clientIdOf(message.key);
  if (clientId === null) return null;
  const { to, threadId, accountId } = message.route;
  return {
    identity: {
      channel: WEB,
      botId: WEB,
      conversation: `${to}/${threadId ?? ""}`,
      messageId: clientId,
      kind: "message",
      version: "0",
    },
    kind: "message",
    accountId,
    route: message.route,
    peer: peerOf(to, facts.channelTitle),
    thread: threadId === null ? { kind: "none" } : { kind: "thread", id: threadId, label: facts.threadTitle },
    guildId: null,
    teamId: null,
    sender: { id: OPERATOR, name: pageTexts.operator, username: null, isBot: false, isSelf: false, roleIds: [] },
    // The page needs no mention; claiming one would have `why` name a rule that did not decide.
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: message.text,
    attachments: message.attachments.map(toAttachment),
    replyTo:
      facts.origin === null
        ? null
        : {
            messageId: clientIdOf(facts.origin.key) ?? String(facts.origin.id),
            senderName: facts.origin.author === "agent" ? pageTexts.name : pageTexts.operator,
            text: facts.origin.text,
            fromBot: facts.origin.author === "agent",
          },
    forwarded: false,
    albumId: null,
    target: null,
    command: null,
    fullLength: false,
    sentAt: message.createdAt,
    link: `${pathOf(message.route)}#${elementId(message)}`,
  };
}

/** A conversation that the operator deleted on the page: nothing answers there any more (TB-6). */
export function toDeletion(route: Route, at: number): InboundEvent {
  return { ...pageAct(route, { at, kind: "thread_changed", id: `deleted-${at}` }), threadChange: { what: "deleted" } };
}

/** The Stop button: the command itself, without a message that nobody wrote (FC-335). */
export function toStop(route: Route, at: number, id: string): InboundEvent {
  return { ...pageAct(route, { at, kind: "command", id: `stop-${id}` }), command: { name: "stop", args: "" } };
}

/** What the operator does on the page without writing. */
function pageAct(
  route: Route,
  act: { readonly at: number; readonly kind: "command" | "thread_changed"; readonly id: string },
): InboundEvent {
  const { to, threadId, accountId } = route;
  const { kind } = act;
  return {
    identity: {
      channel: WEB,
      botId: WEB,
      conversation: `${to}/${threadId ?? ""}`,
      messageId: act.id,
      kind,
      version: "0",
    },
    kind,
    accountId,
    route,
    peer: peerOf(to, to),
    thread: threadId === null ? { kind: "none" } : { kind: "thread", id: threadId, label: null },
    guildId: null,
    teamId: null,
    sender: { id: OPERATOR, name: pageTexts.operator, username: null, isBot: false, isSelf: false, roleIds: [] },
    mentions: { bot: false, replyToBot: false, otherOnly: false },
    text: "",
    attachments: [],
    replyTo: null,
    forwarded: false,
    albumId: null,
    target: null,
    command: null,
    fullLength: false,
    sentAt: act.at,
    link: null,
  };
}

function toAttachment({ sha256, name, mime, bytes }: StoredAttachment): InboundAttachment {
  return { ref: sha256, name, mime, bytes, kind: attachmentKind(mime) };
}

function attachmentKind(mime: string): InboundAttachment["kind"] {
  const [type] = mime.split("/");
  return type === "image" || type === "audio" || type === "video" ? type : "file";
}
