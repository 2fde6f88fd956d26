import { html, raw } from "hono/html";
import type { LoggedConversation, LoggedMessage, NativeCommand } from "../../../src/channel/capabilities.ts";
import { encodeId } from "../../../src/core/ids.ts";
import type { StoredAttachment } from "../../../src/core/message/transcript.ts";
import { pageTexts } from "../../../src/core/texts/page.ts";
import { elementId, OPERATOR, type Place, PREFIX, pathOf } from "../address.ts";
import { isInlineImage } from "../receive.ts";
import type { Markup } from "./markup.ts";

export type ShownMessage = LoggedMessage & {
  readonly streaming: boolean;
  /** The thread that continues it. */
  readonly thread: LoggedConversation | null;
};

/** One message. Its element id is stable, so that the same message put in twice stands there once. */
export function messageItem(message: ShownMessage, agent: string): Markup {
  const id = elementId(message);
  const isPerson = message.author === "person";
  const at = new Date(message.createdAt).toISOString();
  return html`<li
    id="${id}"
    class="message ${message.author}${message.streaming ? " streaming" : ""}"
    data-order="${message.id}"
    ${message.streaming ? raw('aria-busy="true"') : ""}
  >
    <div class="meta">
      <b>${isPerson ? pageTexts.you : agent}</b>
      <a class="at" href="${pathOf(message.route)}#${id}" title="${pageTexts.linkToMessage}"
        ><time datetime="${at}">${at.slice(11, 16)}</time></a
      >
      ${isPerson ? html`<span class="state" title="${pageTexts.deliveredHint}">✓<span class="unseen"> ${pageTexts.delivered}</span></span>` : ""}
      ${message.route.threadId === null && message.thread === null ? threadButton(message) : ""}
    </div>
    <div class="body" dir="auto" hx-ignore>${raw(message.html)}</div>
    ${message.attachments.map(attachment)}
    ${message.thread === null ? "" : threadLink(message.thread)}
  </li>`;
}

function threadButton(message: LoggedMessage): Markup {
  return html`<form method="post" action="${pathOf(message.route)}/threads">
    <input type="hidden" name="message" value="${message.id}" />
    <button class="quiet" title="${pageTexts.threadHint}">${pageTexts.thread}</button>
  </form>`;
}

function threadLink(thread: LoggedConversation): Markup {
  const at = new Date(thread.lastMessageAt).toISOString();
  return html`<a class="into-thread" href="${pathOf(thread)}" title="${pageTexts.openThreadHint(thread.title)}"
    ><span aria-hidden="true">↳</span> ${pageTexts.openThread} <time datetime="${at}">${at.slice(11, 16)}</time></a
  >`;
}

function attachment(file: StoredAttachment): Markup {
  const url = `${PREFIX}/files/${file.sha256}/${encodeId(file.name)}`;
  if (isInlineImage(file.mime)) {
    return html`<a class="image" href="${url}"><img src="${url}" alt="${file.name}" loading="lazy" /></a>`;
  }
  return html`<a class="file" href="${url}" download="${file.name}">${file.name} <small>${size(file.bytes)}</small></a>`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export interface ComposerFacts {
  readonly place: Place;
  readonly title: string;
  readonly commands: readonly NativeCommand[];
  readonly maxBytes: number;
}

/** The form people write in. The script sends it; Enter sends, Shift+Enter makes a line. */
export function composer({ place, title, commands, maxBytes }: ComposerFacts): Markup {
  return html`<form
    id="composer"
    action="${pathOf(place)}/messages"
    method="post"
    enctype="multipart/form-data"
    data-max-bytes="${maxBytes}"
  >
    <ul id="suggestions" role="listbox" aria-label="${pageTexts.commands}" hidden>${commands.map(suggestion)}</ul>
    <ul id="chosen-files" aria-label="${pageTexts.filesToSend}" hidden></ul>
    <p id="composer-problem" role="alert" hidden></p>
    <div class="row">
      <label class="attach" title="${pageTexts.attach}">
        <span class="unseen">${pageTexts.attach}</span>
        <input id="file" type="file" multiple class="unseen" />
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M20 11.5 12.2 19a5 5 0 0 1-7-7l8-7.8a3.3 3.3 0 0 1 4.7 4.7l-8 7.8a1.7 1.7 0 0 1-2.4-2.4L14.6 7.5" /></svg>
      </label>
      <label class="unseen" for="text">${pageTexts.messageTo(title)}</label>
      <textarea
        id="text"
        name="text"
        rows="1"
        maxlength="60000"
        placeholder="${placeholderOf(place, title)}"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls="suggestions"
        autofocus
      ></textarea>
      <button title="${pageTexts.sendHint}">
        <span class="unseen">${pageTexts.send}</span>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h13M12 5l7 7-7 7" /></svg>
      </button>
    </div>
  </form>`;
}

function placeholderOf({ to, threadId }: Place, title: string): string {
  if (threadId !== null) return pageTexts.replyHere;
  return to === OPERATOR ? pageTexts.writeHere : pageTexts.writeIn(title);
}

function suggestion(command: NativeCommand): Markup {
  const usage = command.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
  return html`<li role="option" id="command-${command.name}" aria-selected="false" data-name="/${command.name}">
    <code>/${command.name}${usage === "" ? "" : ` ${usage}`}</code> <span>${command.description}</span>
  </li>`;
}
