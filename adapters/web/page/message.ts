import { html, raw } from "hono/html";
import type { LoggedMessage } from "../../../src/channel/conversation-log.ts";
import type { StoredAttachment } from "../../../src/core/message/transcript.ts";
import { pageTexts } from "../../../src/core/texts/page.ts";
import { elementId, PREFIX, pathOf } from "../address.ts";
import { isInlineImage } from "../file-types.ts";
import type { Markup } from "./markup.ts";

export type ShownMessage = LoggedMessage & { readonly streaming: boolean };

/** One message. Its element id is stable, so that the same message put in twice stands there once. */
export function messageItem(message: ShownMessage): Markup {
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
      <b>${isPerson ? pageTexts.you : pageTexts.name}</b>
      <a class="at" href="${pathOf(message.route)}#${id}" title="${pageTexts.linkToMessage}"
        ><time datetime="${at}">${at.slice(11, 16)}</time></a
      >
      ${isPerson ? html`<span class="state" title="${pageTexts.deliveredHint}">✓<span class="unseen"> ${pageTexts.delivered}</span></span>` : ""}
      ${message.route.threadId === null ? threadButton(message) : ""}
    </div>
    <div class="body" hx-ignore>${raw(message.html)}</div>
    ${message.attachments.map(attachment)}
  </li>`;
}

function threadButton(message: LoggedMessage): Markup {
  return html`<form method="post" action="${pathOf(message.route)}/threads">
    <input type="hidden" name="message" value="${message.id}" />
    <button class="quiet" title="${pageTexts.threadHint}">${pageTexts.thread}</button>
  </form>`;
}

function attachment(file: StoredAttachment): Markup {
  const url = `${PREFIX}/files/${file.sha256}/${encodeURIComponent(file.name)}`;
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
