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

function chatOf(update: unknown): string {
  const found = /"chat":\{"id":(-?\d+)/.exec(JSON.stringify(update));
  return found?.[1] ?? "";
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

  #pump(): void {
    for (const { id, update } of this.#bot.updates.pending) {
      if (this.#busy.size >= this.#settings.maxConnections) return;
      const chat = chatOf(update);
      if (this.#busy.has(chat) || this.#inFlight.has(id)) continue;
      this.#busy.add(chat);
      this.#inFlight.add(id);
      void this.#push(id, update).finally(() => {
        this.#busy.delete(chat);
        this.#inFlight.delete(id);
        if (!this.#stop.signal.aborted) this.#pump();
      });
    }
  }

  async #push(id: number, update: unknown): Promise<void> {
    let delay = this.#options.retryMs;
    while (!this.#stop.signal.aborted) {
      const failure = await this.#attempt(update);
      if (this.#stop.signal.aborted) return;
      if (failure === null) {
        this.#bot.updates.settle(id);
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
  async #attempt(update: unknown): Promise<string | null> {
    const { url, secretToken } = this.#settings;
    let answer: Answer;
    try {
      answer = await deliver(new URL(url), secretToken, JSON.stringify(update), this.#stop.signal);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (answer.status < 200 || answer.status > 299) return `Wrong response from the webhook: ${answer.status}`;
    if (answer.body.startsWith("{"))
      this.#options.onReply(this.#bot, JSON.parse(answer.body) as Record<string, unknown>);
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
