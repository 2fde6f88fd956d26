import { html, raw } from "hono/html";
import type { LoggedConversation, TurnProgress } from "../../../src/channel/capabilities.ts";
import { emptyTexts, pageTexts } from "../../../src/core/texts/page.ts";
import { OPERATOR, type Place, PREFIX, pathOf } from "../address.ts";
import { type Markup, partial } from "./markup.ts";
import { type ComposerFacts, composer, messageItem, type ShownMessage } from "./message.ts";

/** One conversation as it stands now: what the first page shows and what every (re)connected stream begins with. */
export interface ConversationView {
  readonly conversation: LoggedConversation;
  readonly conversations: readonly LoggedConversation[];
  readonly messages: readonly ShownMessage[];
  /** Older messages exist. */
  readonly hasOlder: boolean;
  /** The message a thread was started from. */
  readonly origin: ShownMessage | null;
  readonly progress: readonly TurnProgress[];
  readonly typing: boolean;
}

export interface PageFacts extends Pick<ComposerFacts, "commands" | "maxBytes"> {
  readonly assets: (name: string) => string;
  readonly newThreadId: string;
}

export function chatPage(view: ConversationView, facts: PageFacts): Markup {
  const { conversation } = view;
  const { title } = conversation;
  const parent = view.conversations.find((one) => one.to === conversation.to && one.threadId === null);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="includeIndicatorCSS:false" />
        <title>${title} · ${pageTexts.name}</title>
        <link rel="icon" href="${facts.assets("icon.svg")}" />
        ${["chat.css", "places.css", "messages.css", "composer.css"].map((name) => html`<link rel="stylesheet" href="${facts.assets(name)}" />`)}
        <script defer src="${facts.assets("htmx.js")}"></script>
        <script type="module" src="${facts.assets("chat.js")}"></script>
      </head>
      <body>
        <a class="skip" href="#text">${pageTexts.skip}</a>
        <nav id="places" aria-label="${pageTexts.conversations}">
          <a class="home" href="${PREFIX}/">${pageTexts.name}</a>
          <ul id="place-list">${placeList(view.conversations, conversation)}</ul>
          ${newChannelForm()}
        </nav>
        <main>
          <header>
            <button id="menu" class="quiet" aria-controls="places" aria-expanded="false"><span aria-hidden="true">☰</span><span class="unseen">${pageTexts.conversations}</span></button>
            <h1>${
              conversation.threadId === null || parent === undefined
                ? ""
                : html`<a href="${pathOf(parent)}">${parent.title}</a> <span aria-hidden="true">›</span> `
            }${title}</h1>
            <p id="connection" role="status"></p>
            ${conversation.threadId === null ? newThreadForm(conversation, facts.newThreadId) : ""}
          </header>
          <div id="scroll" tabindex="0" role="region" aria-label="${pageTexts.messages}">
            ${view.origin === null ? "" : html`<ol class="origin" aria-label="${pageTexts.origin}">${originItem(view.origin)}</ol>`}
            <ol id="older">${olderButton(view)}</ol>
            <ol id="log" role="log" aria-label="${pageTexts.messages}">${view.messages.map(messageItem)}</ol>
            <ol id="pending" aria-label="${pageTexts.sending}"></ol>
            ${emptyState(conversation)}
            <div class="activity">
              <div id="live" aria-live="polite">${liveStatus(view.progress, view.typing)}</div>
              <div id="live-actions">${liveActions(view.progress)}</div>
            </div>
          </div>
          <div class="jump"><button type="button" id="to-newest" hidden><span aria-hidden="true">↓</span> ${pageTexts.newest}</button></div>
          ${composer({ place: conversation, title, ...facts })}
        </main>
        <div id="stream" hidden ${raw(`hx-sse:connect="${pathOf(conversation)}/stream"`)} hx-config="sse.reconnectMaxDelay:2000" hx-swap="none" hx-trigger="load, reconnect"></div>
      </body>
    </html>`;
}

/** What a stream begins with: the same places of the page, filled anew. Nothing is missing or doubled after it. */
export function snapshotFrame(view: ConversationView): string {
  return [
    partial("#older", "innerHTML", olderButton(view)),
    partial("#log", "innerMorph", html`${view.messages.map(messageItem)}`),
    partial("#place-list", "innerMorph", placeList(view.conversations, view.conversation)),
    liveFrame(view.progress, view.typing),
  ].join("");
}

export function olderButton({
  messages,
  hasOlder,
  conversation,
}: Pick<ConversationView, "messages" | "hasOlder" | "conversation">): Markup {
  const oldest = messages[0];
  if (!hasOlder || oldest === undefined) return html``;
  return html`<li class="more">
    <button class="quiet" hx-get="${pathOf(conversation)}/older?before=${oldest.id}" hx-target="closest li" hx-swap="outerHTML">${pageTexts.earlier}</button>
  </li>`;
}

function originItem(origin: ShownMessage): Markup {
  return messageItem({ ...origin, key: `origin:${origin.id}`, id: 0, route: { ...origin.route, threadId: "origin" } });
}

/** Shown while a conversation has no message: what this place is, and how to begin. */
export function emptyState({ to, threadId }: Place): Markup {
  if (threadId !== null) return hint(emptyTexts.title, emptyTexts.thread);
  if (to !== OPERATOR) return hint(emptyTexts.title, emptyTexts.channel);
  const prompts = emptyTexts.firstWords.map(
    (words) => html`<li><button type="button" data-say="${words}">${words}</button></li>`,
  );
  return hint(emptyTexts.begin, emptyTexts.prompt, html`<ul class="prompts">${prompts}</ul>`);
}

function hint(title: string, text: string, more: Markup | "" = ""): Markup {
  return html`<div id="empty"><h2>${title}</h2><p>${text}</p>${more}</div>`;
}

/** What runs for this conversation now: tools, sub-agents, the agent writing. */
export function liveStatus(progress: readonly TurnProgress[], typing: boolean): Markup {
  const lines = progress.flatMap((one) =>
    one.lines.length > 0 ? one.lines : one.state === "waiting" ? [pageTexts.waiting] : [],
  );
  return html`${
    lines.length === 0 ? "" : html`<ul class="progress">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }${typing ? html`<p class="typing">${pageTexts.writing}<span aria-hidden="true" class="dots"><i></i><i></i><i></i></span></p>` : ""}`;
}

/** What can be done about what runs. Beside the status, not in it: a screen reader must not announce it with every line. */
export function liveActions(progress: readonly TurnProgress[]): Markup {
  if (progress.length === 0) return html``;
  return html`<button type="button" class="quiet stop" data-say="/stop" title="${pageTexts.stopHint}">${pageTexts.stop}</button>`;
}

/** Both places of the page that say what runs. */
export function liveFrame(progress: readonly TurnProgress[], typing: boolean): string {
  return (
    partial("#live", "innerHTML", liveStatus(progress, typing)) +
    partial("#live-actions", "innerMorph", liveActions(progress))
  );
}

/** Threads listed under one channel; older ones are reached from the message they were started from. */
const THREADS_SHOWN = 30;

/** The list of channels and their threads, the operator's own conversation first. */
export function placeList(conversations: readonly LoggedConversation[], current: Place): Markup {
  const channels = conversations
    .filter((one) => one.threadId === null)
    .sort((a, b) => Number(b.to === OPERATOR) - Number(a.to === OPERATOR) || a.title.localeCompare(b.title));
  return html`${channels.map((channel) => {
    const threads = conversations.filter((one) => one.threadId !== null && one.to === channel.to);
    return html`<li>
      ${placeLink(channel, current)}
      ${threads.length === 0 ? "" : html`<ul>${shown(threads, current).map((one) => html`<li>${placeLink(one, current)}</li>`)}</ul>`}
    </li>`;
  })}`;
}

function shown(threads: readonly LoggedConversation[], current: Place): readonly LoggedConversation[] {
  return threads.filter((thread, index) => index < THREADS_SHOWN || thread.threadId === current.threadId);
}

function placeLink(place: LoggedConversation, current: Place): Markup {
  const isCurrent = place.to === current.to && place.threadId === current.threadId;
  const sign = place.threadId !== null ? "↳" : place.to === OPERATOR ? "@" : "#";
  return html`<a href="${pathOf(place)}" data-last="${place.lastMessageAt}" ${isCurrent ? raw('aria-current="page"') : ""}
    ><span aria-hidden="true">${sign}</span> ${place.title}</a
  >`;
}

export function newChannelForm(): Markup {
  return html`<details class="popover">
    <summary><span aria-hidden="true">+</span> ${pageTexts.newChannel}</summary>
    <form method="post" action="${PREFIX}/channels" class="inline">
      <label class="unseen" for="channel-title">${pageTexts.channelName}</label>
      <input id="channel-title" name="title" required maxlength="80" placeholder="${pageTexts.nameField}" autocomplete="off" />
      <button>${pageTexts.create}</button>
    </form>
  </details>`;
}

/** `threadId` is made with the page, so that a double click opens one thread. */
export function newThreadForm(place: Place, threadId: string): Markup {
  return html`<details class="popover new-thread">
    <summary><span aria-hidden="true">+</span> ${pageTexts.newThread}</summary>
    <form method="post" action="${pathOf(place)}/threads" class="inline">
      <input type="hidden" name="id" value="${threadId}" />
      <label class="unseen" for="thread-title">${pageTexts.threadTitle}</label>
      <input id="thread-title" name="title" required maxlength="80" placeholder="${pageTexts.titleField}" autocomplete="off" />
      <button>${pageTexts.start}</button>
    </form>
  </details>`;
}
