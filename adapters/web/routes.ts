import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { NativeCommand } from "../../src/channel/capabilities.ts";
import { pageProblems, pageTexts } from "../../src/core/texts/page.ts";
import { channelIdFor, isClientId, OPERATOR, type Place, PREFIX, pathOf, threadIdOfMessage } from "./address.ts";
import type { Assets } from "./assets.ts";
import type { Chat } from "./chat.ts";
import { chatPage, olderButton } from "./page/chat-page.ts";
import { messageItem } from "./page/message.ts";
import { fileHeaders, keepFiles, RequestProblem, readMessageForm, receive } from "./receive.ts";

const TITLE_LENGTH = 80;
const NO_STORE = { "cache-control": "no-store" };

export interface RoutesOptions {
  readonly chat: Chat;
  readonly assets: Assets;
  readonly commands: () => readonly NativeCommand[];
  readonly onStored: () => void;
  /** A message could not be stored: the account is degraded until one can. */
  readonly onNotStored: (error: unknown) => void;
}

/** Everything the page asks for. The server in front has already made sure that the operator asks (CH-4). */
export function createRoutes(options: RoutesOptions): Hono {
  const app = new Hono({ strict: false }).basePath(PREFIX);
  const { chat, assets } = options;
  app.get("/", (c) => c.redirect(pathOf({ to: OPERATOR, threadId: null }), 302));
  app.get("/assets/:version/:name", (c) => assets.respond(c.req.param("version"), c.req.param("name")));
  app.get("/files/:sha256/:name", (c) => file(chat, c.req.param("sha256"), c.req.param("name")));
  app.post("/channels", (c) => openChannel(c, chat));
  app.post("/c/:to/threads", (c) => openThread(c, chat, c.req.param("to")));
  for (const path of ["/c/:to", "/c/:to/t/:thread"] as const) {
    app.get(path, (c) => page(c, options, placeOf(c)));
    app.get(`${path}/stream`, (c) => stream(chat, placeOf(c)));
    app.get(`${path}/older`, (c) => older(c, chat, placeOf(c)));
    app.post(`${path}/messages`, (c) => postMessage(c, options, placeOf(c)));
  }
  app.notFound((c) => c.text(pageProblems.notFound, 404));
  app.onError((error, c) => {
    if (error instanceof RequestProblem) return c.json({ problem: error.message }, error.status);
    chat.host.log.error({ err: error, path: c.req.path }, "the chat page could not answer");
    return c.json({ problem: pageProblems.failed }, 503);
  });
  return app;
}

function placeOf(c: Context): Place {
  return { to: c.req.param("to") ?? OPERATOR, threadId: c.req.param("thread") ?? null };
}

async function page(c: Context, { chat, assets, commands }: RoutesOptions, place: Place): Promise<Response> {
  const view = await chat.view(place);
  if (view === null) return c.notFound();
  const { maxBytes } = chat.host.files;
  const facts = { commands: commands(), maxBytes, assets: assets.url, newThreadId: `t${randomUUID()}` };
  return c.html(chatPage(view, facts), 200, NO_STORE);
}

async function stream(chat: Chat, place: Place): Promise<Response> {
  const events = await chat.watch(place);
  if (events === null) throw new RequestProblem(404, pageProblems.noConversation);
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
  return new Response(events.body, { headers });
}

async function older(c: Context, chat: Chat, place: Place): Promise<Response> {
  const before = Number(c.req.query("before"));
  if (!Number.isSafeInteger(before)) throw new RequestProblem(400, pageProblems.badBefore);
  const view = await chat.view(place);
  if (view === null) return c.notFound();
  const found = await chat.olderThan(place, before);
  const more = olderButton({ ...found, conversation: view.conversation });
  return c.html(html`${more}${found.messages.map(messageItem)}`, 200, NO_STORE);
}

async function postMessage(
  c: Context,
  { chat, onStored, onNotStored }: RoutesOptions,
  place: Place,
): Promise<Response> {
  const form = await readMessageForm(c.req.raw, chat.host.files.maxBytes);
  if (!isClientId(form.clientId)) throw new RequestProblem(400, pageProblems.noMessageId);
  try {
    const attachments = await keepFiles(form.files, chat.host.files);
    const received = await receive(chat.host, place, { clientId: form.clientId, text: form.text, attachments });
    onStored();
    if (received.outcome === "no_conversation") throw new RequestProblem(404, pageProblems.noConversation);
    if (received.outcome === "refused") return c.json({ problem: pageProblems.refused(received.rule) }, 422);
    await chat.showMessage(received.message);
    return c.json({ id: received.message.id }, 201);
  } catch (error) {
    if (!(error instanceof RequestProblem)) onNotStored(error);
    throw error;
  }
}

async function file(chat: Chat, sha256: string, name: string): Promise<Response> {
  const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await chat.host.files.get(sha256) : null;
  if (bytes === null) return new Response(pageProblems.fileGone, { status: 404 });
  return new Response(new Uint8Array(bytes), { headers: fileHeaders(bytes, name) });
}

async function openChannel(c: Context, chat: Chat): Promise<Response> {
  const title = titleOf(await c.req.parseBody());
  const to = channelIdFor(title);
  await chat.host.conversations.open({ to, threadId: null, title });
  await chat.showPlaces();
  return c.redirect(pathOf({ to, threadId: null }), 303);
}

/** A thread of its own (`id`, `title`), or one that continues a message (`message`). Started twice, it is one. */
async function openThread(c: Context, chat: Chat, to: string): Promise<Response> {
  const log = chat.host.conversations;
  const form = await c.req.parseBody();
  if ((await log.find(to, null)) === null) return c.notFound();
  if (typeof form.message === "string") {
    const origin = await log.get(Number(form.message));
    if (origin === null || origin.route.to !== to || origin.route.threadId !== null) return c.notFound();
    const threadId = threadIdOfMessage(origin.id);
    await log.open({ to, threadId, title: excerpt(origin.text) });
    await chat.showPlaces();
    return c.redirect(pathOf({ to, threadId }), 303);
  }
  const threadId = typeof form.id === "string" && /^t/.test(form.id) && isClientId(form.id) ? form.id : null;
  if (threadId === null) throw new RequestProblem(400, pageProblems.noThreadId);
  await log.open({ to, threadId, title: titleOf(form) });
  await chat.showPlaces();
  return c.redirect(pathOf({ to, threadId }), 303);
}

function titleOf(form: { readonly [name: string]: unknown }): string {
  const title = typeof form.title === "string" ? form.title.replace(/\s+/g, " ").trim().slice(0, TITLE_LENGTH) : "";
  if (title === "") throw new RequestProblem(400, pageProblems.noTitle);
  return title;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return pageTexts.untitledThread;
  if (line.length <= TITLE_LENGTH / 2) return line;
  const cut = line.slice(0, TITLE_LENGTH / 2);
  return `${cut.replace(/\s+\S*$/, "")}…`;
}
