import { GrammyError, HttpError } from "grammy";
import { settingPath } from "../../src/channel/descriptor.ts";
import type { SendOutcome } from "../../src/core/delivery/delivery.ts";
import { ChannelError } from "../../src/core/errors.ts";
import { assertNever } from "../../src/core/runtime.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { accountTexts, telegramAccountTexts } from "../../src/core/texts/platforms/accounts.ts";
import { TransportError } from "./gateway/transport.ts";

/** What a failed call means. The Bot API tells most refusals apart by their text alone; it is read here and nowhere else. */
export type Refusal =
  | { readonly kind: "rate_limited"; readonly afterMs: number; readonly reason: string }
  | { readonly kind: "server"; readonly reason: string }
  /** No answer. `left`: the platform may have carried it out (DL-3). */
  | { readonly kind: "network"; readonly left: boolean; readonly reason: string }
  /** The token is refused. */
  | { readonly kind: "unauthorized"; readonly reason: string }
  /** Another poller, or a webhook, receives this bot's updates. */
  | { readonly kind: "conflict"; readonly webhook: boolean; readonly reason: string }
  /** What the message says, or how it is formatted. */
  | { readonly kind: "content_refused"; readonly reason: string }
  | { readonly kind: "not_modified"; readonly reason: string }
  | { readonly kind: "message_gone"; readonly reason: string }
  | { readonly kind: "reply_gone"; readonly reason: string }
  | { readonly kind: "moved"; readonly to: string; readonly reason: string }
  | { readonly kind: "topic_gone"; readonly reason: string }
  | { readonly kind: "topic_closed"; readonly reason: string }
  /** The bot lacks a right there. */
  | { readonly kind: "denied"; readonly reason: string }
  /** Blocked, kicked, deactivated, never known. */
  | { readonly kind: "chat_gone"; readonly reason: string }
  | { readonly kind: "photo_refused"; readonly reason: string }
  | { readonly kind: "refused"; readonly code: number; readonly reason: string };

type TextKind = Exclude<
  Refusal["kind"],
  "rate_limited" | "server" | "network" | "unauthorized" | "conflict" | "moved" | "refused"
>;

const BY_TEXT: readonly (readonly [RegExp, TextKind])[] = [
  [/can't parse entities|text must be non-empty|message text is empty|ENTIT(?:Y|IES)_/i, "content_refused"],
  [/(?:message|caption) is too long|(?:MESSAGE|CAPTION)_TOO_LONG|MESSAGE_EMPTY/i, "content_refused"],
  [/message is not modified/i, "not_modified"],
  [/message to edit not found|message can't be edited|MESSAGE_ID_INVALID|message to delete not found/i, "message_gone"],
  [/repl(y|ied) message not found|message to be replied not found|QUOTE_TEXT_INVALID/i, "reply_gone"],
  [/message thread not found|TOPIC_DELETED|TOPIC_ID_INVALID/i, "topic_gone"],
  [/TOPIC_CLOSED/i, "topic_closed"],
  [/not enough rights|have no rights to send|CHAT_(?:WRITE|SEND_\w+)_FORBIDDEN|need administrator rights/i, "denied"],
  [/PHOTO_|IMAGE_PROCESS_FAILED|wrong type of the web page content|photo must be/i, "photo_refused"],
  [/chat not found|user not found|PEER_ID_INVALID|CHANNEL_PRIVATE|INPUT_USER_DEACTIVATED/i, "chat_gone"],
  [/bot was (blocked|kicked)|bot is not a member|user is deactivated|can't initiate conversation/i, "chat_gone"],
  [/can't send messages to (bots|the user)|group chat was deactivated|the group chat was deleted/i, "chat_gone"],
];

/** Reads any error of a Bot API call. Never throws. */
export function readRefusal(error: unknown): Refusal {
  if (error instanceof GrammyError) return readAnswer(error);
  const cause = error instanceof HttpError ? error.error : error;
  // A request whose fate is not known for sure counts as one that left: assuming otherwise would lose or double messages.
  const left = !(cause instanceof TransportError) || cause.left;
  return { kind: "network", left, reason: cause instanceof Error ? cause.message : String(cause) };
}

function readAnswer(error: GrammyError): Refusal {
  const { error_code: code, description: reason, parameters } = error;
  if (parameters.migrate_to_chat_id !== undefined)
    return { kind: "moved", to: String(parameters.migrate_to_chat_id), reason };
  // Obeyed in full, however long (FC-092).
  if (code === 429) return { kind: "rate_limited", afterMs: (parameters.retry_after ?? 1) * 1000, reason };
  if (code >= 500) return { kind: "server", reason: `${code} ${reason}` };
  if (code === 401 || (code === 404 && /^(Not Found|HTTP 404)$/.test(reason))) return { kind: "unauthorized", reason };
  if (code === 409) return { kind: "conflict", webhook: /webhook/i.test(reason), reason };
  const known = BY_TEXT.find(([pattern]) => pattern.test(reason));
  return known === undefined ? { kind: "refused", code, reason } : { kind: known[1], reason };
}

/** What a refusal means for a send when no way around it is left (DL-3, DL-4). `bucket`: what a 429 holds back. */
export function outcomeOf(refusal: Refusal, bucket: string): SendOutcome {
  const { kind, reason } = refusal;
  switch (kind) {
    case "rate_limited":
      return { outcome: "retry", afterMs: refusal.afterMs, sharesLimitWith: bucket, reason };
    case "server":
    case "unauthorized":
    case "conflict":
      return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason };
    case "network":
      return { outcome: "unknown", left: refusal.left, reason };
    case "moved":
      return { outcome: "failed", reason, gone: false, movedTo: refusal.to };
    case "topic_gone":
    case "chat_gone":
      return { outcome: "failed", reason, gone: true, movedTo: null };
    case "content_refused":
      return { outcome: "failed", reason, gone: false, content: true, movedTo: null };
    case "denied":
      return { outcome: "failed", reason, gone: false, denied: true, movedTo: null };
    case "topic_closed":
    case "not_modified":
    case "message_gone":
    case "reply_gone":
    case "photo_refused":
    case "refused":
      return { outcome: "failed", reason, gone: false, movedTo: null };
    default:
      return assertNever(kind);
  }
}

/** Why an account cannot connect, with the setting to change where only the operator can help (CH-1, CH-6). */
export function connectError(error: unknown, account: Pick<AccountSettings, "channel" | "accountId">): ChannelError {
  const refusal = readRefusal(error);
  if (refusal.kind === "unauthorized") return tokenRefused(account);
  if (refusal.kind === "refused") {
    const at = settingPath(account, "webhook.url");
    return new ChannelError("telegram_refused", telegramAccountTexts.refused(refusal.reason, at), {
      decision: "fatal",
    });
  }
  return new ChannelError("telegram_unreachable", accountTexts.unreachable("Telegram", refusal.reason), {
    decision: "retry",
    ...(refusal.kind === "rate_limited" ? { retryAfterMs: refusal.afterMs } : {}),
  });
}

export function tokenRefused(account: Pick<AccountSettings, "channel" | "accountId">): ChannelError {
  const message = telegramAccountTexts.tokenRefused(settingPath(account, "botToken"), settingPath(account, "apiRoot"));
  return new ChannelError("telegram_token_refused", message, { decision: "fatal" });
}
