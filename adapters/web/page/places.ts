import { html, raw } from "hono/html";
import type { LoggedConversation } from "../../../src/channel/capabilities.ts";
import { pageTexts } from "../../../src/core/texts/page.ts";
import { OPERATOR, type Place, PREFIX, pathOf } from "../address.ts";
import type { Markup } from "./markup.ts";

/** Threads listed under one channel; older ones are reached from the message they were started from. */
const THREADS_SHOWN = 30;
const NAME_LENGTH = 80;

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
  return html`<a href="${pathOf(place)}" title="${place.title}" data-last="${place.lastMessageAt}" data-new="${pageTexts.isNew}" ${isCurrent ? raw('aria-current="page"') : ""}
    ><span aria-hidden="true">${sign}</span> ${place.title}</a
  >`;
}

/** What stands above a conversation: the channel of a thread, and the title. */
export function placeHeading(current: LoggedConversation, conversations: readonly LoggedConversation[]): Markup {
  const channel = conversations.find((one) => one.to === current.to && one.threadId === null);
  const above =
    current.threadId === null || channel === undefined
      ? ""
      : html`<a href="${pathOf(channel)}">${channel.title}</a> <span aria-hidden="true">›</span> `;
  return html`${above}${current.title}`;
}

export function newChannelForm(): Markup {
  return html`<details class="popover">
    <summary><span aria-hidden="true">+</span> ${pageTexts.newChannel}</summary>
    <form method="post" action="${PREFIX}/channels" class="inline">
      <label class="unseen" for="channel-title">${pageTexts.channelName}</label>
      <input id="channel-title" name="title" required maxlength="${NAME_LENGTH}" placeholder="${pageTexts.nameField}" autocomplete="off" />
      <button>${pageTexts.create}</button>
    </form>
  </details>`;
}

/** `threadId` is made with the page, so that a double click opens one thread. */
export function newThreadForm(place: Place, threadId: string): Markup {
  return html`<details class="popover over new-thread">
    <summary><span aria-hidden="true">+</span> ${pageTexts.newThread}</summary>
    <form method="post" action="${pathOf(place)}/threads" class="inline card">
      <input type="hidden" name="id" value="${threadId}" />
      <label class="unseen" for="thread-title">${pageTexts.threadTitle}</label>
      <input id="thread-title" name="title" required maxlength="${NAME_LENGTH}" placeholder="${pageTexts.titleField}" autocomplete="off" />
      <button>${pageTexts.start}</button>
    </form>
  </details>`;
}

/** Renaming, and behind a second step deleting; the operator's own conversation stays. */
export function placeOptions(place: LoggedConversation): Markup {
  const isThread = place.threadId !== null;
  const deletes = html`<details class="danger">
    <summary>${isThread ? pageTexts.deleteThread : pageTexts.deleteChannel}</summary>
    <form method="post" action="${pathOf(place)}/delete">
      <p>${isThread ? pageTexts.deletesThread : pageTexts.deletesChannel}</p>
      <button class="bad">${pageTexts.delete}</button>
    </form>
  </details>`;
  return html`<details class="popover over options">
    <summary title="${pageTexts.options}"><span aria-hidden="true">⋯</span><span class="unseen">${pageTexts.options}</span></summary>
    <div class="card">
      <form method="post" action="${pathOf(place)}/rename" class="inline">
        <label class="unseen" for="new-title">${pageTexts.newTitle}</label>
        <input id="new-title" name="title" required maxlength="${NAME_LENGTH}" value="${place.title}" autocomplete="off" />
        <button>${pageTexts.rename}</button>
      </form>
      ${isThread || place.to !== OPERATOR ? deletes : ""}
    </div>
  </details>`;
}

/** For a browser that came in with the token; another has nothing to sign out of. */
export function signOutForm(): Markup {
  return html`<form method="post" action="/logout" class="sign-out"><button class="quiet">${pageTexts.signOut}</button></form>`;
}
