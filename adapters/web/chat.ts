import { html } from "hono/html";
import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { LoggedConversation, LoggedMessage, TurnProgress } from "../../src/channel/capabilities.ts";
import type { Route } from "../../src/core/delivery/delivery.ts";
import { pageTexts } from "../../src/core/texts/page.ts";
import { elementId, OPERATOR, originOfThread, type Place, peerOf, routeTo, threadIdOfMessage } from "./address.ts";
import type { EventStream } from "./live-state.ts";
import { createHub, createLiveState } from "./live-state.ts";
import { type ConversationView, liveFrame, snapshotFrame } from "./page/chat-page.ts";
import { partial } from "./page/markup.ts";
import { messageItem, type ShownMessage } from "./page/message.ts";
import { placeHeading, placeList } from "./page/places.ts";

const TAIL = 100;
/** Twice the renewal: a typing sign that is not renewed goes away by itself. */
export const TYPING_RENEW_MS = 4000;

/** The conversations of one started account, and everybody who watches them. */
export interface Chat {
  readonly host: AdapterHost;
  /** Null: there is no such conversation. */
  view(place: Place): Promise<ConversationView | null>;
  /** Messages before one, oldest first, with whether still older ones exist. */
  olderThan(place: Place, before: number): Promise<Pick<ConversationView, "messages" | "hasOlder">>;
  /** Null: there is no such conversation. The stream begins with the whole view, so a reconnect misses nothing. */
  watch(place: Place): Promise<EventStream | null>;
  /** A message came to be or has its final content. */
  showMessage(message: LoggedMessage): Promise<void>;
  showRemoval(message: LoggedMessage): void;
  showPreview(messageId: number, html: string): Promise<void>;
  showProgress(progress: TurnProgress): void;
  showTyping(route: Route, typing: boolean): void;
  showPlaces(): Promise<void>;
  /** A thread was started from this message: it shows the way into it. */
  showThreadStart(messageId: number): Promise<void>;
  /** A conversation was deleted: who looks at it, or at a thread of a deleted channel, is told by the end of the stream. */
  leave(place: Place): void;
  close(): void;
}

const OPERATOR_PLACE: Place = { to: OPERATOR, threadId: null };

function placeFacts(host: AdapterHost, place: Place) {
  const { to, threadId } = place;
  const thread =
    threadId === null ? ({ kind: "none" } as const) : ({ kind: "thread", id: threadId, label: null } as const);
  return { route: routeTo(host.accountId, place), peer: peerOf(to, to), thread };
}

export function createChat(host: AdapterHost): Chat {
  const hub = createHub();
  const live = createLiveState();
  const typingEnds = new Map<string, NodeJS.Timeout>();
  const log = host.conversations;
  /** As last read: a message shows the thread that continues it, also while it is written. */
  let known: readonly LoggedConversation[] = [];

  /** A direct conversation that nobody named is called by its agent. */
  async function list(): Promise<readonly LoggedConversation[]> {
    const agent = host.agentName(placeFacts(host, OPERATOR_PLACE));
    known = (await log.list()).map((one) => {
      const isUnnamed = one.to === OPERATOR && one.threadId === null && one.title === pageTexts.directChat;
      return isUnnamed && agent !== null ? { ...one, title: agent } : one;
    });
    return known;
  }

  function shown(message: LoggedMessage): ShownMessage {
    const { to, threadId } = message.route;
    const id = threadIdOfMessage(message.id);
    const thread = threadId !== null ? undefined : known.find((one) => one.to === to && one.threadId === id);
    return { ...live.shown(message), thread: thread ?? null };
  }

  const agentAt = (place: Place): string => host.agentName(placeFacts(host, place)) ?? pageTexts.name;

  async function view(place: Place): Promise<ConversationView | null> {
    const conversations = await list();
    const conversation = conversations.find((one) => one.to === place.to && one.threadId === place.threadId);
    if (conversation === undefined) return null;
    const route = routeTo(host.accountId, place);
    const originId = originOfThread(place.threadId);
    const origin = originId === null ? null : await log.get(originId);
    const tail = await log.tail(route, TAIL + 1);
    return {
      conversation,
      conversations,
      messages: tail.slice(-TAIL).map(shown),
      hasOlder: tail.length > TAIL,
      origin: origin === null ? null : shown(origin),
      progress: live.progressOf(route),
      typing: live.isTyping(route),
      agent: agentAt(place),
    };
  }

  function publishMessage(message: LoggedMessage): void {
    const content = messageItem(shown(message), agentAt(message.route));
    const key = elementId(message);
    hub.publish(message.route, { key, html: partial("#log", "upsert key:data-order", content) });
  }

  function publishLive(route: Route): void {
    const facts = { progress: live.progressOf(route), typing: live.isTyping(route), agent: agentAt(route) };
    hub.publish(route, { key: "live", html: liveFrame(facts) });
  }

  function showTyping(route: Route, typing: boolean): void {
    const key = JSON.stringify(route);
    clearTimeout(typingEnds.get(key));
    typingEnds.delete(key);
    if (typing) typingEnds.set(key, setTimeout(() => showTyping(route, false), 2 * TYPING_RENEW_MS).unref());
    if (live.isTyping(route) === typing) return;
    live.setTyping(route, typing);
    publishLive(route);
  }

  async function showThreadStart(messageId: number): Promise<void> {
    await showPlaces();
    const message = await log.get(messageId);
    if (message !== null) publishMessage(message);
  }

  async function showPlaces(): Promise<void> {
    const conversations = await list();
    hub.publishToAll((route) => {
      const current = conversations.find((one) => one.to === route.to && one.threadId === route.threadId);
      const heading =
        current === undefined ? "" : partial("#place-title", "innerHTML", placeHeading(current, conversations));
      return {
        key: "places",
        html: partial("#place-list", "innerMorph", placeList(conversations, route)) + heading,
      };
    });
  }

  return {
    host,
    view,
    async olderThan(place, before) {
      const older = await log.tail(routeTo(host.accountId, place), TAIL + 1, before);
      return { messages: older.slice(-TAIL).map(shown), hasOlder: older.length > TAIL };
    },
    async watch(place) {
      const stream = hub.join(routeTo(host.accountId, place));
      const current = await view(place).catch((error: unknown) => {
        stream.close();
        throw error;
      });
      if (current === null) stream.close();
      else stream.open({ key: "first", html: snapshotFrame(current) });
      return current === null ? null : stream;
    },
    async showMessage(message) {
      if (message.editedAt !== null) live.finish(message.id);
      publishMessage(message);
      await showPlaces();
    },
    showRemoval(message) {
      live.finish(message.id);
      hub.publish(message.route, {
        key: elementId(message),
        html: partial(`#${elementId(message)}`, "delete", html``),
      });
    },
    async showPreview(messageId, previewHtml) {
      const message = live.previewed(messageId) ?? (await log.get(messageId));
      if (message === null || live.isFinal(messageId)) return;
      live.preview(message, previewHtml);
      publishMessage(message);
    },
    showProgress(progress) {
      live.progress(progress);
      publishLive(progress.route);
    },
    showTyping,
    showPlaces,
    showThreadStart,
    leave: (place) => hub.leave(routeTo(host.accountId, place), place.threadId === null),
    close() {
      for (const timer of typingEnds.values()) clearTimeout(timer);
      hub.close();
    },
  };
}
