import type { ChannelAdapter } from "../../../src/channel/adapter.ts";
import type { Capabilities, Renderer } from "../../../src/channel/capabilities.ts";
import type { Delivery, SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../../src/core/delivery/delivery.ts";
import { plainText } from "../../../src/core/text/plain-text.ts";

export interface ChatMessage {
  readonly id: string;
  text: string;
  readonly replyTo: string | null;
}

/** Scripts the outcome of one send; `accepted` says whether the platform showed the message all the same. */
export type Fault =
  | { readonly outcome: SendOutcome; readonly accepted?: boolean }
  | { readonly throws: Error }
  | { readonly hangsUntil: Promise<void> };

export const chatRenderer: Renderer = {
  maxLength: 200,
  render(nodes) {
    const plain = plainText(nodes);
    return { plain, rich: `<p>${plain}</p>`, length: plain.length };
  },
};

/** A chat platform in memory behind the real port: shows messages, edits and deletes them by id, and can fail on demand. */
export class ChatAdapter implements ChannelAdapter {
  readonly channel: string;
  readonly accountId: string;
  readonly renderer = chatRenderer;
  readonly capabilities: Capabilities;
  readonly faults: Fault[] = [];
  /** Every request that reached the platform, in order. */
  readonly requests: string[] = [];
  /** Resolves a fault of one conversation only, so that others go on. */
  readonly blocked = new Map<string, Promise<void>>();
  readonly #conversations = new Map<string, ChatMessage[]>();
  #ids = 100;
  inFlight = 0;
  maxInFlight = 0;

  constructor(channel = "chat", accountId = "default", capabilities: Capabilities = {}) {
    this.channel = channel;
    this.accountId = accountId;
    this.capabilities = capabilities;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  texts(route: Route): string[] {
    return this.messages(route).map((message) => message.text);
  }

  messages(route: Route): ChatMessage[] {
    const key = conversationKey(route);
    const known = this.#conversations.get(key) ?? [];
    this.#conversations.set(key, known);
    return known;
  }

  async send(delivery: Delivery, signal: AbortSignal): Promise<SendOutcome> {
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    try {
      await this.blocked.get(conversationKey(delivery.route));
      const fault = this.faults.shift();
      if (fault === undefined) return this.#carryOut(delivery);
      if ("throws" in fault) throw fault.throws;
      if ("hangsUntil" in fault) {
        const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await Promise.race([fault.hangsUntil, aborted]);
        if (signal.aborted) return { outcome: "unknown", left: true, reason: "aborted" };
        return this.#carryOut(delivery);
      }
      if (fault.accepted) this.#carryOut(delivery);
      return fault.outcome;
    } finally {
      this.inFlight -= 1;
    }
  }

  #carryOut({ route, content, messageIds }: Delivery): SendOutcome {
    const messages = this.messages(route);
    const [shown] = messageIds;
    const index = messages.findIndex((message) => message.id === shown);
    if (content.kind === "delete") {
      this.requests.push(`delete ${shown}`);
      if (index >= 0) messages.splice(index, 1);
      return { outcome: "sent", messageIds: [] };
    }
    if (content.kind === "thread") {
      this.#ids += 1;
      const thread = { ...route, threadId: `thread-${this.#ids}` };
      this.requests.push(`thread ${thread.threadId}: ${content.title}`);
      return { outcome: "sent", messageIds: [], thread };
    }
    const text = content.kind === "file" ? `[${content.file.name}]` : content.piece.plain;
    if (shown !== undefined) {
      this.requests.push(`edit ${shown}: ${text}`);
      const message = messages[index];
      if (message === undefined) return { outcome: "failed", reason: "message not found", gone: false, movedTo: null };
      message.text = text;
      return { outcome: "sent", messageIds };
    }
    this.#ids += 1;
    const id = String(this.#ids);
    this.requests.push(`send ${id}: ${text}`);
    messages.push({ id, text, replyTo: content.replyTo });
    return { outcome: "sent", messageIds: [id] };
  }
}
