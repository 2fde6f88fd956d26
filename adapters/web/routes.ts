import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { NativeCommand } from "../../src/channel/capabilities.ts";
import { pageProblems } from "../../src/core/texts/page.ts";
import { isClientId, OPERATOR, type Place, PREFIX, pathOf, routeTo } from "./address.ts";
import type { Assets } from "./assets.ts";
import type { Chat } from "./chat.ts";
import { toStop } from "./inbound.ts";
import { chatPage, olderButton, problemPage } from "./page/chat-page.ts";
import { messageItem } from "./page/message.ts";
import { createPlaceRoutes, placeIn } from "./place-routes.ts";
import { fileHeaders, keepFiles, RequestProblem, readMessageForm, receive } from "./receive.ts";

const NO_STORE = { "cache-control": "no-store" };

/** What the server in front knows of a request. */
interface RoutesEnv {
  Bindings: { readonly signedIn?: boolean };
}

export interface RoutesOptions {
  readonly chat: Chat;
  readonly assets: Assets;
  readonly commands: () => readonly NativeCommand[];
  readonly onStored: () => void;
  /** A message could not be stored: the account is degraded until one can. */
  readonly onNotStored: (error: unknown) => void;
}

/** Everything the page asks for. The server in front has already made sure that the operator asks (CH-4). */
export function createRoutes(options: RoutesOptions): Hono<RoutesEnv> {
  const app = new Hono<RoutesEnv>({ strict: false }).basePath(PREFIX);
  const { chat, assets } = options;
  app.get("/", (c) => c.redirect(pathOf({ to: OPERATOR, threadId: null }), 302));
  app.get("/assets/:version/:name", (c) => assets.respond(c.req.param("version"), c.req.param("name")));
  app.get("/files/:sha256/:name", (c) => file(chat, c.req.param("sha256"), c.req.param("name")));
  app.route("/", createPlaceRoutes(chat));
  for (const path of ["/c/:to", "/c/:to/t/:thread"] as const) {
    app.get(path, (c) => page(c, options, placeIn(c)));
    app.get(`${path}/stream`, (c) => stream(chat, placeIn(c)));
    app.get(`${path}/older`, (c) => older(c, chat, placeIn(c)));
    app.post(`${path}/stop`, (c) => stop(c, chat, placeIn(c)));
    app.post(`${path}/messages`, (c) => postMessage(c, options, placeIn(c)));
  }
  app.notFound((c) => problem(c, assets, 404, pageProblems.notFound));
  app.onError((error, c) => {
    if (error instanceof RequestProblem) return problem(c, assets, error.status, error.message);
    chat.host.log.error({ err: error, path: c.req.path }, "the chat page could not answer");
    return problem(c, assets, 503, pageProblems.failed);
  });
  return app;
}

/** A person's browser shows a page, scripts read JSON. */
function problem(
  c: Context,
  assets: Assets,
  status: 400 | 404 | 413 | 503,
  words: string,
): Response | Promise<Response> {
  if (!c.req.header("accept")?.includes("text/html")) return c.json({ problem: words }, status);
  return c.html(problemPage(words, backFrom(c.req.raw), assets.url), status, NO_STORE);
}

/** The conversation whose form it was, when the browser tells it and it is one of this page. */
function backFrom(request: Request): string {
  const from = request.headers.get("referer");
  const { pathname, host } = from !== null && URL.canParse(from) ? new URL(from) : new URL(request.url);
  const isHere = host === new URL(request.url).host && pathname.startsWith(`${PREFIX}/c/`) && from !== request.url;
  return isHere && request.method === "POST" ? pathname : `${PREFIX}/`;
}

async function page(c: Context<RoutesEnv>, { chat, assets, commands }: RoutesOptions, place: Place): Promise<Response> {
  const view = await chat.view(place);
  if (view === null) return c.notFound();
  const { maxBytes } = chat.host.files;
  const signedIn = c.env.signedIn === true;
  const facts = { signedIn, commands: commands(), maxBytes, assets: assets.url, newThreadId: `t${randomUUID()}` };
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
  return c.html(html`${more}${found.messages.map((message) => messageItem(message, view.agent))}`, 200, NO_STORE);
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

/** The Stop button. */
async function stop(c: Context, chat: Chat, place: Place): Promise<Response> {
  const { host } = chat;
  if ((await host.conversations.find(place.to, place.threadId)) === null) {
    throw new RequestProblem(404, pageProblems.noConversation);
  }
  const { result } = await host.accept(toStop(routeTo(host.accountId, place), host.clock.now(), randomUUID()));
  return c.body(null, result === "command" ? 204 : 422);
}

async function file(chat: Chat, sha256: string, name: string): Promise<Response> {
  const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await chat.host.files.get(sha256) : null;
  if (bytes === null) return new Response(pageProblems.fileGone, { status: 404 });
  return new Response(new Uint8Array(bytes), { headers: fileHeaders(bytes, name) });
}
