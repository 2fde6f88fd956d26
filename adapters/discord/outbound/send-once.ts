import { createHash } from "node:crypto";
import type { REST } from "discord.js";
import { type APIMessage, Routes } from "discord-api-types/v10";
import type { PlatformClock } from "../../../src/channel/platform-clock.ts";
import type { Delivery, ReadBack } from "../../../src/core/delivery/delivery.ts";
import type { Logger } from "../../../src/core/runtime.ts";
import { compareIds, idAt } from "../address.ts";
import { mentionedIn } from "../render.ts";

/** Discord knows a nonce for 2 minutes (DL-3); a little less, since the request is on its way for a while. */
const NONCE_MS = 110_000;
/** The clocks of this machine and of the platform may differ by so much. */
const CLOCK_SLACK_MS = 60_000;
const PAGE = 100;
const MOST_PAGES = 5;

/** The people whom the text mentions are notified, and no one else ever is (DL-8, FC-176). */
export function allowedMentions(text: string) {
  return { parse: [] as const, users: mentionedIn(text), replied_user: false } as const;
}

/** At most 25 characters that are the same for every try of a delivery. */
export function nonceOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 25);
}

/** A quote that never fails a send: without the message it quotes, the answer goes alone (DL-9). */
export function replyReference(replyTo: string | null): {
  message_reference?: { message_id: string; fail_if_not_exists: false };
} {
  return replyTo === null ? {} : { message_reference: { message_id: replyTo, fail_if_not_exists: false } };
}

export interface OnceParts {
  readonly rest: REST;
  readonly botId: string;
  readonly clock: PlatformClock;
  /** Told when the history was read for an earlier try, and what was found. */
  readonly looked?: (what: ReadBack) => void;
}

/** What every send needs. */
export interface OutboundParts extends OnceParts {
  readonly log: Logger;
  /** The bytes of a stored file, or null when they are gone. */
  readonly readFile: (sha256: string) => Promise<Uint8Array | null>;
}

/** One message of a delivery that must stand once, however often it is tried. */
export interface Once {
  readonly channelId: string;
  readonly delivery: Pick<Delivery, "attempts" | "createdAt">;
  readonly nonce: string;
  readonly text: string;
}

/**
 * The message an earlier try has left, or null: needed only when the platform may have forgotten the nonce (DL-3). Where the
 * history names no nonces, a message with the very same text, not older than the delivery, is taken for it.
 */
export async function findEarlier(parts: OnceParts, once: Once, signal: AbortSignal): Promise<APIMessage | null> {
  const { delivery } = once;
  if (delivery.attempts <= 1 || parts.clock.now() - parts.clock.at(delivery.createdAt) < NONCE_MS) return null;
  const found = await readBack(parts, once, signal);
  parts.looked?.(found === null ? "not found" : "found");
  return found;
}

async function readBack(
  { rest, botId, clock }: OnceParts,
  { channelId, delivery, nonce, text }: Once,
  signal: AbortSignal,
): Promise<APIMessage | null> {
  let after = idAt(clock.earliest(delivery.createdAt) - CLOCK_SLACK_MS);
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const found = (await rest.get(Routes.channelMessages(channelId), { query, signal })) as APIMessage[];
    const own = found.filter(({ author }) => author.id === botId);
    const mine = own.find((message) =>
      message.nonce === undefined ? message.content === text.trim() : String(message.nonce) === nonce,
    );
    if (mine !== undefined) return mine;
    if (found.length < PAGE) return null;
    after = found.reduce((newest, { id }) => (compareIds(id, newest) > 0 ? id : newest), after);
  }
  return null;
}
