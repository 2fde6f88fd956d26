import type { LoggedMessage, TurnProgress } from "../../src/channel/capabilities.ts";
import { conversationKey, type Route, sameRoute } from "../../src/core/delivery/delivery.ts";

const REMEMBERED = 500;

/** What the page shows of a conversation beyond its kept messages; a restart forgets it, and the next event tells it anew. */
export interface LiveState {
  /** The message as its preview shows it now; without a preview, as it is kept. */
  shown(message: LoggedMessage): LoggedMessage & { readonly streaming: boolean };
  /** Null: the message has its final content already, so a late preview must not overwrite it. */
  preview(message: LoggedMessage, html: string): void;
  previewed(messageId: number): LoggedMessage | null;
  isFinal(messageId: number): boolean;
  finish(messageId: number): void;
  progress(progress: TurnProgress): void;
  progressOf(route: Route): readonly TurnProgress[];
  setTyping(route: Route, typing: boolean): void;
  isTyping(route: Route): boolean;
}

export function createLiveState(): LiveState {
  const previews = new Map<number, { readonly message: LoggedMessage; readonly html: string }>();
  const final = new Set<number>();
  const progress = new Map<string, Map<string, TurnProgress>>();
  const typing = new Set<string>();
  return {
    shown(message) {
      const preview = previews.get(message.id);
      return preview === undefined
        ? { ...message, streaming: false }
        : { ...message, html: preview.html, streaming: true };
    },
    preview(message, html) {
      previews.delete(message.id);
      previews.set(message.id, { message, html });
      forgetOldest(previews);
    },
    previewed: (id) => previews.get(id)?.message ?? null,
    isFinal: (id) => final.has(id),
    finish(id) {
      previews.delete(id);
      final.add(id);
      forgetOldest(final);
    },
    progress(shown) {
      const key = conversationKey(shown.route);
      const ofRoute = progress.get(key) ?? new Map<string, TurnProgress>();
      if (shown.state === "ended") ofRoute.delete(shown.sessionKey);
      else ofRoute.set(shown.sessionKey, shown);
      if (ofRoute.size === 0) progress.delete(key);
      else progress.set(key, ofRoute);
    },
    progressOf: (route) => [...(progress.get(conversationKey(route))?.values() ?? [])],
    setTyping(route, isTyping) {
      if (isTyping) typing.add(conversationKey(route));
      else typing.delete(conversationKey(route));
    },
    isTyping: (route) => typing.has(conversationKey(route)),
  };
}

/** Insertion order is age; a turn that never finished its preview must not keep it for ever. */
function forgetOldest(known: { readonly size: number; keys(): Iterator<number>; delete(id: number): boolean }): void {
  const oldest = known.keys().next();
  if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value);
}

/** What a viewer's page is told: markup that says itself where it belongs. */
export interface Frame {
  readonly html: string;
  /** Frames with one key replace each other while they wait: only the newest state of a message matters. */
  readonly key: string;
}

const MAX_QUEUED_BYTES = 1_000_000;
const KEEP_ALIVE_MS = 20_000;

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Lets the stream run, with this frame before all that was sent meanwhile. A snapshot that was being read while live
   * frames came in must not overwrite them on the page.
   */
  open(first: Frame): void;
  /** Never waits. What a slow client cannot take is kept up to a bound; past it the stream ends and the page asks anew. */
  send(frame: Frame): void;
  close(): void;
}

/**
 * One viewer's server-sent events. `onEnd` is called once, when the client is gone or the stream was ended.
 * `maxQueuedBytes` defaults to 1 MB.
 */
export function createEventStream(onEnd: () => void, maxQueuedBytes = MAX_QUEUED_BYTES): EventStream {
  const queue = new Map<string, Uint8Array>();
  const encoder = new TextEncoder();
  let queuedBytes = 0;
  let ended = false;
  let isOpen = false;
  let sink: ReadableStreamDefaultController<Uint8Array> | null = null;

  function flush(): void {
    if (!isOpen) return;
    for (const [key, bytes] of queue) {
      if (sink === null || (sink.desiredSize ?? 0) <= 0) return;
      queue.delete(key);
      queuedBytes -= bytes.byteLength;
      sink.enqueue(bytes);
    }
  }

  function end(): boolean {
    if (ended) return false;
    ended = true;
    clearInterval(keepAlive);
    queue.clear();
    onEnd();
    return true;
  }

  function close(): void {
    if (end()) sink?.close();
  }

  function push(key: string, bytes: Uint8Array): void {
    if (ended) return;
    queuedBytes += bytes.byteLength - (queue.get(key)?.byteLength ?? 0);
    queue.delete(key);
    queue.set(key, bytes);
    flush();
    if (queuedBytes > maxQueuedBytes) close();
  }

  // A comment line now and then: proxies keep the connection, and a vanished client is noticed.
  const keepAlive = setInterval(() => push("keep-alive", encoder.encode(":\n\n")), KEEP_ALIVE_MS);
  keepAlive.unref();

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      sink = controller;
    },
    pull: flush,
    cancel: () => {
      end();
    },
  });
  const encode = ({ html }: Frame): Uint8Array => encoder.encode(serverSentEvent(html));
  return {
    body,
    open(first) {
      const meanwhile = [...queue];
      queue.clear();
      const bytes = encode(first);
      queue.set("first", bytes);
      queuedBytes += bytes.byteLength;
      for (const [key, waiting] of meanwhile) queue.set(key, waiting);
      isOpen = true;
      flush();
    },
    send: (frame) => push(frame.key, encode(frame)),
    close,
  };
}

/** An unnamed event: every line of the data carries the field name (also where the text has lone carriage returns). */
export function serverSentEvent(html: string): string {
  const lines = html.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return `${lines.join("\n")}\n\n`;
}

/** Everybody who looks at the page right now, by the conversation they look at. */
export interface Hub {
  /** From now on the viewer is told everything; what it is told waits until the stream is opened with its snapshot. */
  join(route: Route): EventStream;
  publish(route: Route, frame: Frame): void;
  /** To every viewer, made for the conversation that viewer looks at. */
  publishToAll(frame: (route: Route) => Frame): void;
  /** Ends the streams of one conversation, `whole`: of its threads, too. */
  leave(route: Route, whole: boolean): void;
  /** How many pages are open. */
  viewers(): number;
  /** Ends every stream. */
  close(): void;
}

export function createHub(): Hub {
  const viewers = new Map<EventStream, Route>();
  return {
    join(route) {
      const stream: EventStream = createEventStream(() => viewers.delete(stream));
      viewers.set(stream, route);
      return stream;
    },
    publish(route, frame) {
      for (const [stream, viewed] of viewers) if (sameRoute(route, viewed)) stream.send(frame);
    },
    publishToAll(frame) {
      for (const [stream, viewed] of viewers) stream.send(frame(viewed));
    },
    leave(route, whole) {
      for (const [stream, viewed] of [...viewers]) {
        if (sameRoute(route, whole ? { ...viewed, threadId: null } : viewed)) stream.close();
      }
    },
    viewers: () => viewers.size,
    close() {
      for (const stream of [...viewers.keys()]) stream.close();
    },
  };
}
