import type { AdapterHost } from "../../src/channel/adapter.ts";
import type { LoggedMessage } from "../../src/channel/conversation-log.ts";
import type { AcceptResult } from "../../src/core/message/inbound-event.ts";
import type { StoredAttachment } from "../../src/core/message/transcript.ts";
import { assertNever } from "../../src/core/runtime.ts";
import { originOfThread, type Place, personKey, routeTo } from "./address.ts";
import { type ConversationFacts, toEvent } from "./inbound.ts";
import { plainHtml } from "./page/markup.ts";

const OFFER_AGAIN_MS = 15 * 60_000;
const OFFER_LIMIT = 500;

export interface PersonMessage {
  readonly clientId: string;
  readonly text: string;
  readonly attachments: readonly StoredAttachment[];
}

export type Received =
  | { readonly outcome: "accepted"; readonly message: LoggedMessage }
  /** The ingress turned it away by this rule; the message was taken back. */
  | { readonly outcome: "refused"; readonly rule: string }
  | { readonly outcome: "no_conversation" };

/**
 * Keeps a person's message once per client id and hands it in (IN-3): when this resolves `accepted`, it is committed.
 * Rejects when it could not be stored; sending it again with the same id is safe, whatever was stored of it.
 */
export async function receive(host: AdapterHost, place: Place, message: PersonMessage): Promise<Received> {
  const appended = await host.conversations.append({
    key: personKey(message.clientId),
    route: routeTo(host.accountId, place),
    author: "person",
    html: plainHtml(message.text),
    text: message.text,
    attachments: message.attachments,
  });
  if (appended === null) return { outcome: "no_conversation" };
  const result = await offer(host, appended.message);
  if (wasTaken(result)) return { outcome: "accepted", message: appended.message };
  await host.conversations.remove(appended.message.id);
  return { outcome: "refused", rule: result.rule };
}

/**
 * Offers people's messages of the last 15 minutes again (IN-14): those whose event was not committed before a crash or a
 * failure of the store run now, all others are duplicates of what was accepted.
 */
export async function offerRecent(host: AdapterHost): Promise<void> {
  const recent = await host.conversations.peopleSince(host.clock.now() - OFFER_AGAIN_MS, OFFER_LIMIT);
  for (const message of recent) await offer(host, message);
}

async function offer(host: AdapterHost, message: LoggedMessage): Promise<AcceptResult> {
  const event = toEvent(message, await factsOf(host, message));
  if (event === null) throw new Error(`message ${message.id} was not written by a person`);
  return host.accept(event);
}

async function factsOf(host: AdapterHost, message: LoggedMessage): Promise<ConversationFacts> {
  const { to, threadId } = message.route;
  const channel = await host.conversations.find(to, null);
  const thread = threadId === null ? null : await host.conversations.find(to, threadId);
  const originId = originOfThread(threadId);
  const isFirst = originId !== null && (await host.conversations.tail(message.route, 1, message.id)).length === 0;
  return {
    channelTitle: channel?.title ?? to,
    threadTitle: thread?.title ?? null,
    origin: isFirst ? await host.conversations.get(originId) : null,
  };
}

function wasTaken(result: AcceptResult): boolean {
  switch (result.result) {
    case "accepted":
    case "command":
    case "merged":
    case "kept":
    case "duplicate":
      return true;
    case "refused":
    case "ignored":
    case "stale":
      return false;
    default:
      return assertNever(result);
  }
}
