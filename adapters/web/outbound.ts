import { html, raw } from "hono/html";
import type { LoggedMessage } from "../../src/channel/capabilities.ts";
import type {
  Delivery,
  DeliveryContent,
  RenderedPiece,
  Route,
  SendOutcome,
  ThreadContent,
} from "../../src/core/delivery/delivery.ts";
import { StoreError } from "../../src/core/errors.ts";
import { encodeId } from "../../src/core/ids.ts";
import type { StoredAttachment } from "../../src/core/message/transcript.ts";
import { assertNever } from "../../src/core/runtime.ts";
import { pageProblems, pageTexts } from "../../src/core/texts/page.ts";
import { deliveryKey, pathOf, personKey, threadIdOfDelivery, WEB } from "./address.ts";
import type { Chat } from "./chat.ts";
import { markupText, plainHtml } from "./page/markup.ts";

interface Content {
  readonly html: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
}

/** Carries out one delivery on the log (DL-3): once per key, however often it is sent. Never throws. */
export async function sendDelivery(chat: Chat, delivery: Delivery): Promise<SendOutcome> {
  try {
    if (delivery.route.channel !== WEB || delivery.route.accountId !== chat.host.accountId) {
      return failed(pageProblems.otherAccount);
    }
    if (delivery.content.kind === "delete") return await remove(chat, delivery);
    if (delivery.content.kind === "thread") return await openThread(chat, delivery, delivery.content);
    const content = await contentOf(chat, delivery, delivery.content);
    return delivery.messageIds.length > 0 ? await edit(chat, delivery, content) : await append(chat, delivery, content);
  } catch (error) {
    return outcomeOf(error);
  }
}

/** The way to a thread from another place of the page. */
export function linkToThread(route: Route, title: string): RenderedPiece {
  const path = pathOf(route);
  return { rich: markupText(html`<p>→ <a href="${path}">${title}</a></p>`), plain: `→ ${title}: ${path}` };
}

async function append(chat: Chat, { key, route }: Delivery, content: Content): Promise<SendOutcome> {
  const appended = await chat.host.conversations.append({ key: deliveryKey(key), route, author: "agent", ...content });
  if (appended === null) {
    return { outcome: "failed", reason: pageProblems.conversationGone, gone: true, movedTo: null };
  }
  const { message, isNew } = appended;
  // The first attempt may have been cut off after its commit, and the content may have changed since (a preview).
  const isCurrent = isNew || (message.html === content.html && message.text === content.text);
  const shown = isCurrent ? message : await chat.host.conversations.edit(message.id, content);
  if (shown !== null) await chat.showMessage(shown);
  chat.showTyping(route, false);
  return { outcome: "sent", messageIds: [String(message.id)] };
}

/** TB-1: the thread's id comes from the delivery's key, so making it twice gives one. */
async function openThread(chat: Chat, delivery: Delivery, { title, opening }: ThreadContent): Promise<SendOutcome> {
  const { route, key } = delivery;
  const parent = await chat.host.conversations.find(route.to, null);
  if (parent === null) {
    return { outcome: "failed", reason: pageProblems.conversationGone, gone: true, movedTo: null };
  }
  const thread = { ...route, threadId: threadIdOfDelivery(key) };
  await chat.host.conversations.open({ to: thread.to, threadId: thread.threadId, title });
  const content = { html: opening.rich, text: opening.plain, attachments: [] };
  const opened = await append(chat, { ...delivery, route: thread }, content);
  return opened.outcome === "sent" ? { ...opened, thread } : opened;
}

async function edit(chat: Chat, { messageIds, route }: Delivery, content: Content): Promise<SendOutcome> {
  const message = await ownMessage(chat, messageIds[0], route);
  const edited = message === null ? null : await chat.host.conversations.edit(message.id, content);
  if (edited === null) return failed(pageProblems.messageGone);
  await chat.showMessage(edited);
  chat.showTyping(route, false);
  return { outcome: "sent", messageIds };
}

async function remove(chat: Chat, { messageIds, route }: Delivery): Promise<SendOutcome> {
  for (const id of messageIds) {
    const message = await ownMessage(chat, id, route);
    if (message === null) continue;
    await chat.host.conversations.remove(message.id);
    chat.showRemoval(message);
  }
  return { outcome: "sent", messageIds };
}

/** Only an agent's message in the very conversation of the route (FC-039). */
async function ownMessage(chat: Chat, id: string | undefined, route: Delivery["route"]): Promise<LoggedMessage | null> {
  const message = await chat.host.conversations.get(Number(id));
  const isOwn =
    message?.author === "agent" && message.route.to === route.to && message.route.threadId === route.threadId;
  return isOwn ? message : null;
}

async function contentOf(
  chat: Chat,
  delivery: Delivery,
  content: Extract<DeliveryContent, { kind: "message" | "file" }>,
): Promise<Content> {
  const quote = await quoteOf(chat, delivery, content.replyTo);
  switch (content.kind) {
    case "message": {
      const note = content.private ? markupText(html`<p class="private">${pageTexts.privateNote}</p>`) : "";
      return { html: note + quote + content.piece.rich, text: content.piece.plain, attachments: [] };
    }
    case "file":
      return { html: quote + plainHtml(content.caption), text: content.caption, attachments: [content.file] };
    default:
      return assertNever(content);
  }
}

/** A link to the message it answers, where the answer does not stand right below it anyway (DL-9). */
async function quoteOf(chat: Chat, { route, messageIds }: Delivery, replyTo: string | null): Promise<string> {
  if (replyTo === null || messageIds.length > 0) return "";
  const [newest] = await chat.host.conversations.tail(route, 1);
  if (newest === undefined || newest.key === personKey(replyTo)) return "";
  return markupText(html`<p class="quote"><a href="#${raw(`p-${encodeId(replyTo)}`)}">${pageTexts.inReply}</a></p>`);
}

function failed(reason: string): SendOutcome {
  return { outcome: "failed", reason, gone: false, movedTo: null };
}

/** A repeated send is harmless here, so everything that may heal is simply tried again. */
function outcomeOf(error: unknown): SendOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreError && !error.retryable) return failed(reason);
  return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason };
}
