import { html, raw } from "hono/html";
import type { LoggedConversation, TurnProgress } from "../../../src/channel/capabilities.ts";
import { emptyTexts, pageProblems, pageTexts, scriptTexts } from "../../../src/core/texts/page.ts";
import { OPERATOR, type Place, PREFIX, pathOf } from "../address.ts";
import { type Markup, partial } from "./markup.ts";
import { type ComposerFacts, composer, messageItem, type ShownMessage } from "./message.ts";
import { newChannelForm, newThreadForm, placeHeading, placeList, placeOptions, signOutForm } from "./places.ts";

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
  /** Who answers here. */
  readonly agent: string;
}

export interface PageFacts extends Pick<ComposerFacts, "commands" | "maxBytes"> {
  readonly assets: (name: string) => string;
  readonly newThreadId: string;
  readonly signedIn: boolean;
}

export function chatPage(view: ConversationView, facts: PageFacts): Markup {
  const { conversation } = view;
  const { title } = conversation;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="includeIndicatorCSS:false" />
        <title>${documentTitle(title, view.agent)}</title>
        <link rel="icon" href="${facts.assets("icon.svg")}" />
        ${["chat.css", "places.css", "code.css", "messages.css", "composer.css"].map((name) => html`<link rel="stylesheet" href="${facts.assets(name)}" />`)}
        <script defer src="${facts.assets("htmx.js")}"></script>
        <script type="module" src="${facts.assets("chat.js")}"></script>
      </head>
      <body data-texts="${JSON.stringify(scriptTexts)}">
        <a class="skip" href="#text">${pageTexts.skip}</a>
        <a class="skip" href="#scroll">${pageTexts.skipToMessages}</a>
        <nav id="places" aria-label="${pageTexts.conversations}">
          <a class="home" href="${PREFIX}/">${pageTexts.name}</a>
          <ul id="place-list">${placeList(view.conversations, conversation)}</ul>
          ${newChannelForm()}
          ${facts.signedIn ? signOutForm() : ""}
        </nav>
        <main>
          <header>
            <button id="menu" class="quiet" aria-controls="places" aria-expanded="false"><span aria-hidden="true">☰</span><span class="unseen">${pageTexts.conversations}</span></button>
            <h1 id="place-title">${placeHeading(conversation, view.conversations)}</h1>
            <p id="connection" role="status"></p>
            <p id="notice" role="status" class="unseen"></p>
            ${conversation.threadId === null ? newThreadForm(conversation, facts.newThreadId) : ""}
            ${placeOptions(conversation)}
          </header>
          <div id="scroll" tabindex="0" role="region" aria-label="${pageTexts.conversation}">
            ${view.origin === null ? "" : html`<ol class="origin" aria-label="${pageTexts.origin}">${originItem(view.origin, view.agent)}</ol>`}
            <ol id="older">${olderButton(view)}</ol>
            <div role="log" aria-label="${pageTexts.messages}"><ol id="log">${messageList(view)}</ol></div>
            <ol id="pending" aria-label="${pageTexts.sending}"></ol>
            ${emptyState(conversation)}
            <div class="activity">
              <div id="live" aria-live="polite">${liveStatus(view)}</div>
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
    partial("#log", "innerMorph", html`${messageList(view)}`),
    partial("#place-list", "innerMorph", placeList(view.conversations, view.conversation)),
    partial("#place-title", "innerHTML", placeHeading(view.conversation, view.conversations)),
    liveFrame(view),
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

function messageList({ messages, agent }: Pick<ConversationView, "messages" | "agent">): readonly Markup[] {
  return messages.map((message) => messageItem(message, agent));
}

function originItem(origin: ShownMessage, agent: string): Markup {
  const route = { ...origin.route, threadId: "origin" };
  return messageItem({ ...origin, key: `origin:${origin.id}`, id: 0, route, thread: null }, agent);
}

/** What a browser's tab and history show. */
function documentTitle(title: string, agent: string): string {
  return title === agent ? agent : `${title} · ${agent}`;
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

type LiveFacts = Pick<ConversationView, "progress" | "typing" | "agent">;

/** What runs for this conversation now: tools, sub-agents, the agent writing. */
export function liveStatus({ progress, typing, agent }: LiveFacts): Markup {
  const lines = progress.flatMap((one) =>
    one.lines.length > 0 ? one.lines : one.state === "waiting" ? [pageTexts.waiting] : [],
  );
  return html`${
    lines.length === 0 ? "" : html`<ul class="progress">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }${typing ? html`<p class="typing">${pageTexts.writing(agent)}<span aria-hidden="true" class="dots"><i></i><i></i><i></i></span></p>` : ""}`;
}

/** What can be done about what runs. Beside the status, not in it: a screen reader must not announce it with every line. */
export function liveActions(progress: readonly TurnProgress[]): Markup {
  if (progress.length === 0) return html``;
  return html`<button type="button" class="quiet stop" data-stop title="${pageTexts.stopHint}">${pageTexts.stop}</button>`;
}

/** Both places of the page that say what runs. */
export function liveFrame(facts: LiveFacts): string {
  return (
    partial("#live", "innerHTML", liveStatus(facts)) +
    partial("#live-actions", "innerMorph", liveActions(facts.progress))
  );
}

/** A page of a few words: why a form was not taken, or that there is nothing here. */
export function problemPage(problem: string, back: string, assets: PageFacts["assets"]): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${pageProblems.heading} · ${pageTexts.name}</title>
        <link rel="icon" href="${assets("icon.svg")}" />
        <link rel="stylesheet" href="${assets("chat.css")}" />
      </head>
      <body class="problem-page">
        <main>
          <h1>${pageProblems.heading}</h1>
          <p role="alert">${problem}</p>
          <p><a href="${back}">${pageTexts.back}</a></p>
        </main>
      </body>
    </html>`;
}
