import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { settingPath } from "../../src/channel/descriptor.ts";
import type { SendOutcome } from "../../src/core/delivery/delivery.ts";
import { ChannelError } from "../../src/core/errors.ts";
import { assertNever } from "../../src/core/runtime.ts";
import type { AccountSettings } from "../../src/core/settings.ts";
import { accountTexts, discordAccountTexts } from "../../src/core/texts/platforms/accounts.ts";

/** All requests of the bot together (50 a second); every other limit is one conversation's. */
export const BOT_BUCKET = "bot";

/** What a failed call means, by its status and code; the words are for people only. */
export type Refusal =
  | { readonly kind: "rate_limited"; readonly afterMs: number; readonly global: boolean; readonly reason: string }
  | { readonly kind: "server"; readonly reason: string }
  /** No answer. `left`: the platform may have carried it out (DL-3). */
  | { readonly kind: "network"; readonly left: boolean; readonly reason: string }
  | { readonly kind: "unauthorized"; readonly reason: string }
  /** Unknown channel, no access to it, a person who does not take messages. */
  | { readonly kind: "place_gone"; readonly reason: string }
  | { readonly kind: "message_gone"; readonly reason: string }
  /** The bot lacks a permission there. */
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "archived"; readonly reason: string }
  | { readonly kind: "locked"; readonly reason: string }
  /** The quoted message cannot be quoted. */
  | { readonly kind: "reply_refused"; readonly reason: string }
  /** The message has a thread already. */
  | { readonly kind: "thread_exists"; readonly reason: string }
  | { readonly kind: "tag_needed"; readonly reason: string }
  /** The interaction's token has expired, or is unknown. */
  | { readonly kind: "interaction_over"; readonly reason: string }
  /** What the message says: too long, empty, or blocked by the server's own rules. */
  | { readonly kind: "content_refused"; readonly reason: string }
  | { readonly kind: "refused"; readonly status: number; readonly code: number; readonly reason: string };

type CodeKind = Exclude<Refusal["kind"], "rate_limited" | "server" | "network" | "unauthorized" | "refused">;

const BY_CODE: ReadonlyMap<number, CodeKind> = new Map([
  [10_003, "place_gone"],
  [10_004, "place_gone"],
  [10_013, "place_gone"],
  [50_001, "place_gone"],
  [50_007, "place_gone"],
  [50_013, "denied"],
  [10_008, "message_gone"],
  [50_083, "archived"],
  [160_005, "locked"],
  [160_002, "reply_refused"],
  [160_004, "thread_exists"],
  [40_067, "tag_needed"],
  [10_062, "interaction_over"],
  [10_015, "interaction_over"],
  [50_027, "interaction_over"],
  // AutoMod, its title rule, the filter of harmful links, explicit content, an empty message.
  [200_000, "content_refused"],
  [200_001, "content_refused"],
  [240_000, "content_refused"],
  [20_009, "content_refused"],
  [50_006, "content_refused"],
]);

/** A connection that was never made; the platform cannot have seen the request. */
const NEVER_LEFT: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** Reads any error of a REST call. Never throws. */
export function readRefusal(error: unknown): Refusal {
  if (error instanceof RateLimitError) {
    const afterMs = Math.max(1, Math.ceil(Math.max(error.retryAfter, error.sublimitTimeout)));
    return { kind: "rate_limited", afterMs, global: error.global, reason: `rate limited for ${afterMs} ms` };
  }
  if (error instanceof DiscordAPIError) return readAnswer(error);
  if (error instanceof HTTPError) return { kind: "server", reason: `${error.status} ${error.message}` };
  const reason = error instanceof Error ? error.message : String(error);
  // The client forgets its token when the platform has refused it once.
  if (/^Expected token to be set/.test(reason)) return { kind: "unauthorized", reason: "the token was refused before" };
  return { kind: "network", left: !codesOf(error).some((code) => NEVER_LEFT.includes(code)), reason };
}

function readAnswer(error: DiscordAPIError): Refusal {
  const { status, message } = error;
  const code = Number(error.code);
  const reason = message.split("\n").join("; ");
  if (code === 50_027) return { kind: "interaction_over", reason };
  if (status === 401) return { kind: "unauthorized", reason };
  const known = BY_CODE.get(code);
  if (known !== undefined) return { kind: known, reason };
  const { rawError } = error;
  const fields = "errors" in rawError ? rawError.errors : undefined;
  if (typeof fields === "object" && fields !== null && "message_reference" in fields)
    return { kind: "reply_refused", reason };
  if (typeof fields === "object" && fields !== null && "content" in fields) return { kind: "content_refused", reason };
  return { kind: "refused", status, code, reason };
}

function codesOf(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [];
  const own = "code" in error ? [String(error.code)] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...("cause" in error ? codesOf(error.cause) : [])];
}

/** What a refusal means for a send when no way around it is left (DL-3, DL-4). */
export function outcomeOf(refusal: Refusal): SendOutcome {
  const { kind, reason } = refusal;
  switch (kind) {
    case "rate_limited":
      return {
        outcome: "retry",
        afterMs: refusal.afterMs,
        sharesLimitWith: refusal.global ? BOT_BUCKET : null,
        reason,
      };
    case "server":
    case "unauthorized":
      return { outcome: "retry", afterMs: null, sharesLimitWith: null, reason };
    case "network":
      return { outcome: "unknown", left: refusal.left, reason };
    case "place_gone":
      return { outcome: "failed", reason, gone: true, movedTo: null };
    case "archived":
    case "locked":
      return { outcome: "failed", reason, gone: false, closed: true, movedTo: null };
    case "denied":
      return { outcome: "failed", reason, gone: false, denied: true, movedTo: null };
    case "content_refused":
      return { outcome: "failed", reason, gone: false, content: true, movedTo: null };
    case "message_gone":
    case "reply_refused":
    case "thread_exists":
    case "tag_needed":
    case "interaction_over":
    case "refused":
      return { outcome: "failed", reason, gone: false, movedTo: null };
    default:
      return assertNever(kind);
  }
}

/** Why an account cannot connect, with what to change and where when only the operator can help (CH-1, CH-6, FC-188). */
export function connectError(error: unknown, account: Pick<AccountSettings, "channel" | "accountId">): ChannelError {
  if (error instanceof ChannelError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (/disallowed intents/i.test(words)) return intentRefused(account);
  if (code === "TokenInvalid" || /authentication failed/i.test(words)) return tokenRefused(account);
  const refusal = readRefusal(error);
  if (refusal.kind === "unauthorized") return tokenRefused(account);
  if (/^Not enough sessions remaining/.test(words))
    return new ChannelError("discord_sessions_used_up", discordAccountTexts.sessionsUsedUp(words), {
      decision: "retry",
    });
  return new ChannelError("discord_unreachable", accountTexts.unreachable("Discord", refusal.reason), {
    decision: "retry",
    ...(refusal.kind === "rate_limited" ? { retryAfterMs: refusal.afterMs } : {}),
  });
}

export function tokenRefused(account: Pick<AccountSettings, "channel" | "accountId">): ChannelError {
  const message = discordAccountTexts.tokenRefused(settingPath(account, "token"), settingPath(account, "apiUrl"));
  return new ChannelError("discord_token_refused", message, { decision: "fatal" });
}

export function intentRefused(account: Pick<AccountSettings, "channel" | "accountId">): ChannelError {
  const message = discordAccountTexts.intentOff(settingPath(account, "token"));
  return new ChannelError("discord_intent_refused", message, { decision: "fatal" });
}
