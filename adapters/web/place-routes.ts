import { type Context, Hono } from "hono";
import { pageProblems, pageTexts } from "../../src/core/texts/page.ts";
import { channelIdFor, isClientId, OPERATOR, type Place, pathOf, routeTo, threadIdOfMessage } from "./address.ts";
import type { Chat } from "./chat.ts";
import { toDeletion } from "./inbound.ts";
import { RequestProblem } from "./receive.ts";

const TITLE_LENGTH = 80;

/** The forms that make, rename and delete conversations. Each is answered with the page it leads to. */
export function createPlaceRoutes(chat: Chat): Hono {
  const app = new Hono({ strict: false });
  app.post("/channels", (c) => openChannel(c, chat));
  app.post("/c/:to/threads", (c) => openThread(c, chat, c.req.param("to")));
  for (const path of ["/c/:to", "/c/:to/t/:thread"] as const) {
    app.post(`${path}/rename`, (c) => rename(c, chat, placeIn(c)));
    app.post(`${path}/delete`, (c) => remove(c, chat, placeIn(c)));
  }
  return app;
}

export function placeIn(c: Context): Place {
  return { to: c.req.param("to") ?? OPERATOR, threadId: c.req.param("thread") ?? null };
}

async function openChannel(c: Context, chat: Chat): Promise<Response> {
  const title = titleOf(await fieldsOf(c));
  const to = channelIdFor(title);
  await chat.host.conversations.open({ to, threadId: null, title });
  await chat.showPlaces();
  return c.redirect(pathOf({ to, threadId: null }), 303);
}

/** A thread of its own (`id`, `title`), or one that continues a message (`message`). Started twice, it is one. */
async function openThread(c: Context, chat: Chat, to: string): Promise<Response> {
  const log = chat.host.conversations;
  const form = await fieldsOf(c);
  if ((await log.find(to, null)) === null) return c.notFound();
  if (typeof form.message === "string") {
    const origin = await log.get(Number(form.message));
    if (origin === null || origin.route.to !== to || origin.route.threadId !== null) return c.notFound();
    const threadId = threadIdOfMessage(origin.id);
    await log.open({ to, threadId, title: excerpt(origin.text) });
    await chat.showThreadStart(origin.id);
    return c.redirect(pathOf({ to, threadId }), 303);
  }
  const threadId = typeof form.id === "string" && /^t/.test(form.id) && isClientId(form.id) ? form.id : null;
  if (threadId === null) throw new RequestProblem(400, pageProblems.noThreadId);
  await log.open({ to, threadId, title: titleOf(form) });
  await chat.showPlaces();
  return c.redirect(pathOf({ to, threadId }), 303);
}

async function rename(c: Context, chat: Chat, place: Place): Promise<Response> {
  const title = titleOf(await fieldsOf(c));
  if (!(await chat.host.conversations.rename({ ...place, title }))) return c.notFound();
  await chat.showPlaces();
  return c.redirect(pathOf(place), 303);
}

/** First the log and then the word to the core: repeated after a failure in between, both are done again. */
async function remove(c: Context, chat: Chat, place: Place): Promise<Response> {
  const { host } = chat;
  if (place.to === OPERATOR && place.threadId === null) throw new RequestProblem(400, pageProblems.keepsOperator);
  await host.conversations.delete(place.to, place.threadId);
  await host.accept(toDeletion(routeTo(host.accountId, place), host.clock.now()));
  await chat.showPlaces();
  chat.leave(place);
  return c.redirect(pathOf({ to: place.threadId === null ? OPERATOR : place.to, threadId: null }), 303);
}

type Fields = Readonly<Record<string, unknown>>;

async function fieldsOf(c: Context): Promise<Fields> {
  return await c.req.parseBody().catch((cause: unknown) => {
    throw Object.assign(new RequestProblem(400, pageProblems.notAnyForm), { cause });
  });
}

/** What could turn the order of the words around it. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Letters that show nothing, beside format characters, marks and spaces. */
const INVISIBLE = /[\p{C}\p{M}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** A name as lists show it: one line with something to see. */
function titleOf(form: Fields): string {
  const typed = typeof form.title === "string" ? form.title : "";
  const line = typed
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(BIDI, "")
    .trim();
  if (line.replace(INVISIBLE, "") === "") throw new RequestProblem(400, pageProblems.noTitle);
  return cutAt(line, TITLE_LENGTH).trim();
}

/** A sign of several code points is never cut apart. */
function cutAt(text: string, length: number): string {
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (cut.length + segment.length > length) break;
    cut += segment;
  }
  return cut === "" ? text.slice(0, length).toWellFormed() : cut;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return pageTexts.untitledThread;
  if (line.length <= TITLE_LENGTH / 2) return line;
  return `${cutAt(line, TITLE_LENGTH / 2).replace(/\s+\S*$/, "")}…`;
}
