import { request } from "node:http";
import type { BotRecord, WebhookSettings } from "./records.ts";
import type { World } from "./world.ts";

export interface WebhookOptions {
  /** First delay after a failed delivery, milliseconds; doubles with every failure up to `longestRetryMs`. */
  retryMs: number;
  longestRetryMs: number;
  /** Carries out a method a webhook's answer asks for. */
  onReply: (bot: BotRecord, reply: Record<string, unknown>) => void;
}

interface Answer {
  status: number;
  body: string;
}

function deliver(url: URL, secretToken: string | null, body: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    if (secretToken !== null) headers["x-telegram-bot-api-secret-token"] = secretToken;
    const outgoing = request(url, { method: "POST", headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** The chat an update belongs to, for its order; all others share one line. */
function chatOf(text: string): string {
  return /"chat":\{"id":(-?\d+)/.exec(text)?.[1] ?? "";
}

/** A webhook's answer may be a method to carry out; anything that is no JSON object is ignored. */
function asReply(body: string): Record<string, unknown> | null {
  if (!body.startsWith("{")) return null;
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Pushes one bot's updates to its webhook: in order within a chat, chats side by side, again until a 2xx answer. */
export class WebhookPusher {
  readonly #world: World;
  readonly #bot: BotRecord;
  readonly #settings: WebhookSettings;
  readonly #options: WebhookOptions;
  readonly #stop = new AbortController();
  readonly #busy = new Set<string>();
  readonly #inFlight = new Set<number>();
  readonly #texts = new Map<number, { chat: string; text: string }>();

  constructor(world: World, bot: BotRecord, settings: WebhookSettings, options: WebhookOptions) {
    this.#world = world;
    this.#bot = bot;
    this.#settings = settings;
    this.#options = options;
  }

  start(): void {
    this.#bot.updates.onPush(() => this.#pump());
    this.#pump();
  }

  stop(): void {
    this.#bot.updates.onPush(null);
    this.#stop.abort();
  }

  /** An update's JSON, made once however often it waits behind others of its chat. */
  #written(id: number, update: unknown): { chat: string; text: string } {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const text = JSON.stringify(update);
    const written = { chat: chatOf(text), text };
    this.#texts.set(id, written);
    return written;
  }

  #pump(): void {
    for (const { id, update } of this.#bot.updates.pending) {
      if (this.#busy.size >= this.#settings.maxConnections) return;
      if (this.#inFlight.has(id)) continue;
      const { chat, text } = this.#written(id, update);
      if (this.#busy.has(chat)) continue;
      this.#busy.add(chat);
      this.#inFlight.add(id);
      void this.#push(id, text).finally(() => {
        this.#busy.delete(chat);
        this.#inFlight.delete(id);
        if (!this.#stop.signal.aborted) this.#pump();
      });
    }
  }

  async #push(id: number, text: string): Promise<void> {
    let delay = this.#options.retryMs;
    while (!this.#stop.signal.aborted) {
      const failure = await this.#attempt(text);
      if (this.#stop.signal.aborted) return;
      if (failure === null) {
        this.#bot.updates.settle(id);
        this.#texts.delete(id);
        this.#world.signals.changed();
        return;
      }
      this.#settings.lastError = { date: this.#world.seconds(), message: failure };
      this.#world.signals.changed();
      await this.#pause(delay);
      delay = Math.min(delay * 2, this.#options.longestRetryMs);
    }
  }

  /** Delivers once; the reason when it failed. */
  async #attempt(text: string): Promise<string | null> {
    const { url, secretToken } = this.#settings;
    let answer: Answer;
    try {
      answer = await deliver(new URL(url), secretToken, text, this.#stop.signal);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (answer.status < 200 || answer.status > 299) return `Wrong response from the webhook: ${answer.status}`;
    const reply = asReply(answer.body);
    if (reply !== null) this.#options.onReply(this.#bot, reply);
    return null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      const { signal } = this.#stop;
      signal.addEventListener("abort", done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
    });
  }
}
