import { randomUUID } from "node:crypto";

const WAIT_MS = 15_000;

export interface WebMessage {
  readonly id: number;
  readonly author: "person" | "agent";
  /** What people read, without markup. */
  readonly text: string;
  readonly html: string;
  /** The text may still change: it is a preview. */
  readonly streaming: boolean;
}

export interface HearsOptions {
  /** Only messages below this one. Default: below the last one `hears` returned here. */
  readonly after?: number;
  /** Milliseconds, default 15,000. */
  readonly within?: number;
}

/** One conversation on the web page, seen through the page's own stream. */
export interface WebConversation {
  readonly path: string;
  /** Writes a message as the composer does; the id of the message once it is stored. `id` repeats one that was sent before. */
  says(text: string, options?: { readonly id?: string; readonly files?: readonly File[] }): Promise<number>;
  /** The next finished message of the agent whose whole text equals or matches this. */
  hears(wanted: string | RegExp, options?: HearsOptions): Promise<WebMessage>;
  /** Waits for any state of the page: `look` is called after every change. */
  until<T>(look: (messages: readonly WebMessage[]) => T | undefined, what: string, within?: number): Promise<T>;
  /** What stands on the page now, asked anew. */
  messages(): Promise<readonly WebMessage[]>;
  /** The texts of the agent's messages on the page now. */
  answers(): Promise<readonly string[]>;
  /** Every form a message has had while this conversation was watched. */
  versions(id: number): readonly string[];
  /** Opens a thread of its own in this channel. */
  thread(title: string): Promise<WebConversation>;
  leaves(): void;
}

/** The operator at the chat page: plain HTTP and server-sent events, as a browser uses them. `url` is asked at every request. */
export interface WebPerson {
  readonly operator: WebConversation;
  channel(title: string): Promise<WebConversation>;
  /** A conversation by its path: one the agent opened. */
  at(path: string): WebConversation;
  leaves(): void;
}

export function webPerson(url: () => string): WebPerson {
  const open = new Set<WebConversation>();
  const at = (path: string): WebConversation => {
    const conversation = conversationAt(url, path, async (title) => {
      const id = `t${randomUUID()}`;
      return at(await opened(url, `${path}/threads`, { id, title }));
    });
    open.add(conversation);
    return conversation;
  };
  return {
    operator: at("/web/c/operator"),
    at,
    channel: async (title) => at(await opened(url, "/web/channels", { title })),
    leaves: () => {
      for (const conversation of open) conversation.leaves();
    },
  };
}

/** Sends a form and returns the path it leads to. */
async function opened(url: () => string, path: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const body = new URLSearchParams(fields);
  const response = await fetch(url() + path, { method: "POST", body, headers: sameSite(url()), redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return location;
}

function sameSite(origin: string): Record<string, string> {
  return { origin, "sec-fetch-site": "same-origin" };
}

function conversationAt(
  url: () => string,
  path: string,
  openThread: (title: string) => Promise<WebConversation>,
): WebConversation {
  const watch = createWatch(url, path);
  let readUpTo = 0;
  const conversation: WebConversation = {
    path,
    async says(text, { id = randomUUID(), files = [] } = {}) {
      const form = new FormData();
      form.set("id", id);
      form.set("text", text);
      for (const file of files) form.append("file", file);
      const response = await fetch(`${url()}${path}/messages`, {
        method: "POST",
        body: form,
        headers: sameSite(url()),
      });
      const answer = (await response.json()) as { id?: number; problem?: string };
      if (answer.id === undefined) throw new Error(`not accepted (${response.status}): ${answer.problem}`);
      return answer.id;
    },
    async hears(wanted, { after = readUpTo, within } = {}) {
      const fits = ({ text }: WebMessage): boolean =>
        typeof wanted === "string" ? text === wanted : wanted.test(text);
      const found = await conversation.until(
        (messages) => messages.find((one) => one.author === "agent" && one.id > after && !one.streaming && fits(one)),
        `the agent to say ${wanted}`,
        within,
      );
      readUpTo = Math.max(readUpTo, found.id);
      return found;
    },
    until: (look, what, within = WAIT_MS) => watch.until(look, `${what} in ${path}`, within),
    messages: async () => {
      const response = await fetch(url() + path);
      return messagesIn(await response.text());
    },
    answers: async () => (await conversation.messages()).filter((one) => one.author === "agent").map((one) => one.text),
    versions: (id) => watch.versions(id),
    thread: openThread,
    leaves: watch.close,
  };
  return conversation;
}

/** Keeps one stream open while somebody waits, and opens it again when it broke: the page does the same. */
function createWatch(url: () => string, path: string) {
  const shown = new Map<number, WebMessage>();
  const history = new Map<number, string[]>();
  const looks = new Set<() => void>();
  let closed = false;
  let running: AbortController | null = null;

  const take = (frame: string): void => {
    if (frame.includes('hx-target="#log" hx-swap="innerMorph"')) shown.clear();
    for (const message of messagesIn(frame)) {
      shown.set(message.id, message);
      const versions = history.get(message.id) ?? [];
      if (versions.at(-1) !== message.text) versions.push(message.text);
      history.set(message.id, versions);
    }
    const removed = /hx-target="#m-(\d+)" hx-swap="delete"/.exec(frame)?.[1];
    if (removed !== undefined) shown.delete(Number(removed));
    for (const look of [...looks]) look();
  };

  const follow = async (abort: AbortController): Promise<void> => {
    while (!closed && !abort.signal.aborted && looks.size > 0) {
      try {
        const response = await fetch(`${url()}${path}/stream`, { signal: abort.signal });
        if (response.body === null) throw new Error("the stream has no body");
        for await (const frame of framesOf(response.body)) take(frame);
      } catch (error) {
        // The process is away (killed, restarting): the page asks again until it is back, and so does this.
        if (abort.signal.aborted || !(error instanceof Error)) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };

  return {
    versions: (id: number): readonly string[] => history.get(id) ?? [],
    close: (): void => {
      closed = true;
      running?.abort();
    },
    until<T>(look: (messages: readonly WebMessage[]) => T | undefined, what: string, within: number): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          looks.delete(check);
        };
        const check = (): void => {
          const found = look([...shown.values()].sort((a, b) => a.id - b.id));
          if (found === undefined) return;
          stop();
          resolve(found);
        };
        const timer = setTimeout(() => {
          stop();
          const texts = [...shown.values()].map((one) => `${one.author}: ${one.text}`);
          reject(new Error(`waited ${within} ms in vain for ${what}; there is:\n${texts.join("\n")}`));
        }, within);
        looks.add(check);
        if (running === null) {
          const abort = new AbortController();
          running = abort;
          void follow(abort).finally(() => {
            if (running === abort) running = null;
          });
        }
        check();
      });
    },
  };
}

async function* framesOf(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const frames = rest.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) yield frame.replace(/^data: ?/gm, "");
  }
}

const ITEM =
  /<li\s+id="[mp]-[^"]*"\s+class="message (person|agent)( streaming)?"\s+data-order="(\d+)".*?<div class="body" dir="auto" hx-ignore>(.*?)<\/div>/gs;

function messagesIn(markup: string): readonly WebMessage[] {
  return [...markup.matchAll(ITEM)].map(([, author, streaming, id, html = ""]) => ({
    id: Number(id),
    author: author === "person" ? "person" : "agent",
    text: plain(html),
    html,
    streaming: streaming !== undefined,
  }));
}

/** The letters of the markup: paragraphs and breaks are line breaks, quotes above an answer are left out. */
function plain(html: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return html
    .replace(/<p class="quote">.*?<\/p>/gs, "")
    .replace(/<p class="private">.*?<\/p>/gs, "")
    .replace(/<br\s*\/?>|<\/(?:p|li|pre|h\d)>/g, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name] ?? "")
    .trim();
}
