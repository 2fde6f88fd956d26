import * as webApi from "@slack/web-api";
import { settingPath } from "../../src/channel/descriptor.ts";
import type { SendOutcome } from "../../src/core/delivery/delivery.ts";
import { ChannelError } from "../../src/core/errors.ts";
import { assertNever } from "../../src/core/runtime.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { accountTexts, slackAccountTexts } from "../../src/core/texts/platforms/accounts.ts";

/** What a failed call means. Slack's error words are read here and nowhere else. */
export type Refusal =
  | { readonly kind: "rate_limited"; readonly afterMs: number; readonly reason: string }
  /** No answer that can be read. `left`: Slack may have carried it out (DL-3). */
  | { readonly kind: "network"; readonly left: boolean; readonly reason: string }
  /** The token is refused. */
  | { readonly kind: "unauthorized"; readonly reason: string }
  /** The app was not given a right; only the operator can. */
  | { readonly kind: "missing_scope"; readonly reason: string }
  | { readonly kind: "message_gone"; readonly reason: string }
  /** The channel, person or thread no longer exists, or the bot is not in it. */
  | { readonly kind: "place_gone"; readonly reason: string }
  /** The bot may not write there. */
  | { readonly kind: "denied"; readonly reason: string }
  /** Archived: it accepts nothing until it is opened again. */
  | { readonly kind: "place_closed"; readonly reason: string }
  /** What the message says: too long, empty, or in a form that Slack does not take. */
  | { readonly kind: "content_refused"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string };

type WordKind = Exclude<Refusal["kind"], "rate_limited" | "network" | "missing_scope" | "refused">;

const BY_WORD: ReadonlyMap<string, WordKind> = new Map(
  (
    [
      ["unauthorized", "invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type"],
      ["message_gone", "message_not_found cant_update_message edit_window_closed"],
      ["place_gone", "channel_not_found not_in_channel thread_not_found invalid_thread_ts cannot_reply_to_message"],
      ["place_gone", "user_not_found users_not_found user_disabled cannot_dm_bot messages_tab_disabled"],
      ["place_closed", "is_archived"],
      ["denied", "restricted_action restricted_action_read_only_channel restricted_action_non_threadable_channel"],
      ["denied", "restricted_action_thread_only_channel restricted_action_thread_locked no_permission"],
      ["content_refused", "msg_too_long msg_blocks_too_long no_text invalid_blocks invalid_blocks_format"],
      ["content_refused", "too_many_attachments invalid_attachments markdown_text_conflict"],
    ] as const
  ).flatMap(([kind, words]) => words.split(" ").map((word) => [word, kind] as const)),
);

/** An error inside Slack: the outcome of the request is unknown. */
const SERVER_TROUBLE = ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"];

/** The connection was never made, so Slack cannot have seen the request (DL-3). */
const NEVER_LEFT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/** Reads any error of a Web API call. Never throws. */
export function readRefusal(error: unknown): Refusal {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    // Obeyed in full, however long (FC-092).
    return { kind: "rate_limited", afterMs: error.retryAfter * 1000, reason: error.message };
  }
  if (error instanceof webApi.WebAPIPlatformError) return readWord(error);
  if (error instanceof webApi.WebAPIHTTPError) {
    const reason = `HTTP ${error.statusCode}`;
    return error.statusCode >= 400 && error.statusCode < 500
      ? { kind: "refused", reason }
      : { kind: "network", left: true, reason };
  }
  const cause = error instanceof webApi.WebAPIRequestError ? error.original : error;
  return { kind: "network", left: !NEVER_LEFT.includes(codeOf(cause)), reason: wordsOf(cause) };
}

function readWord({ data }: webApi.WebAPIPlatformError): Refusal {
  const word = data.error;
  // The client library puts a page it cannot read where the word would be.
  if (!/^[a-z][a-z0-9_]{0,80}$/.test(word)) return { kind: "network", left: true, reason: "an unreadable answer" };
  if (SERVER_TROUBLE.includes(word)) return { kind: "network", left: true, reason: word };
  if (word === "ratelimited" || word === "rate_limited") return { kind: "rate_limited", afterMs: 30_000, reason: word };
  if (word === "missing_scope") {
    const needed = "needed" in data ? data.needed : null;
    return { kind: "missing_scope", reason: typeof needed === "string" ? `missing_scope (${needed})` : word };
  }
  return { kind: BY_WORD.get(word) ?? "refused", reason: word };
}

function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return "";
}

/** `fetch failed` says nothing; what lies beneath it does. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}

/** What a refusal means for a send when no way around it is left (DL-3, DL-4). `bucket`: what a 429 holds back. */
export function outcomeOf(refusal: Refusal, bucket: string): SendOutcome {
  const { kind, reason } = refusal;
  switch (kind) {
    case "rate_limited":
      return { outcome: "retry", afterMs: refusal.afterMs, sharesLimitWith: bucket, reason };
    case "unauthorized":
      return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason };
    case "network":
      return { outcome: "unknown", left: refusal.left, reason };
    case "place_gone":
      return { outcome: "failed", reason, gone: true, movedTo: null };
    case "place_closed":
      return { outcome: "failed", reason, gone: false, closed: true, movedTo: null };
    case "denied":
      return { outcome: "failed", reason, gone: false, denied: true, movedTo: null };
    case "content_refused":
      return { outcome: "failed", reason, gone: false, content: true, movedTo: null };
    case "message_gone":
    case "missing_scope":
    case "refused":
      return { outcome: "failed", reason, gone: false, movedTo: null };
    default:
      return assertNever(kind);
  }
}

/**
 * Why an account cannot connect, with the setting to change where only the operator can help (CH-1, CH-6). `token`: whose
 * token the failed call was made with.
 */
export function connectError(
  error: unknown,
  account: Pick<AccountSettings, "channel" | "accountId">,
  token: "botToken" | "appToken",
): ChannelError {
  if (error instanceof ChannelError) return error;
  const refusal = readRefusal(error);
  const { kind, reason } = refusal;
  if (kind === "unauthorized" || kind === "missing_scope" || kind === "refused") {
    const path = settingPath(account, token);
    const message =
      token === "botToken"
        ? slackAccountTexts.botTokenRefused(path, reason)
        : slackAccountTexts.appTokenRefused(path, reason);
    return new ChannelError("slack_token_refused", message, { decision: "fatal" });
  }
  return new ChannelError("slack_unreachable", accountTexts.unreachable("Slack", reason), {
    decision: "retry",
    ...(refusal.kind === "rate_limited" ? { retryAfterMs: refusal.afterMs } : {}),
  });
}
