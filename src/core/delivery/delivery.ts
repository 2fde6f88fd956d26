import { type AccountId, type ChannelId, encodeId, type RunId, type TurnId } from "../ids.ts";
import type { StoredAttachment } from "../message/transcript.ts";
import type { SessionKey } from "../session/session-key.ts";

/** One piece, rendered twice from the same source, so that the plain form of this very piece can follow a refusal (DL-7). */
export interface RenderedPiece {
  /** The platform's own rich form (HTML, mrkdwn, …), within its limit after decoration. */
  readonly rich: string;
  readonly plain: string;
  /** It mentions people, who are notified only if it is posted: it replaces a preview as a new message (DL-8). */
  readonly notifies?: true;
}

export type DeliveryContent =
  | {
      readonly kind: "message";
      readonly piece: RenderedPiece;
      readonly replyTo: string | null;
      readonly private: boolean;
      /**
       * The native call this answers (CM-3), by the id its event came with. `first`: it takes the place of what the platform
       * shows while people wait; the others follow it.
       */
      readonly interaction?: { readonly id: string; readonly first: boolean };
      /** Tried once; a failure is not reported (TB-6). */
      readonly once?: true;
    }
  | {
      readonly kind: "file";
      readonly file: StoredAttachment;
      readonly caption: string;
      readonly replyTo: string | null;
    }
  /** Deletes a message that was already shown: the preview of a turn that ended silently (TN-11). */
  | { readonly kind: "delete" }
  | ThreadContent;

/**
 * Makes a thread, a topic or the like out of the delivery's route (TB-1), whole or not at all: what a failed try has left
 * (a root message without its thread) is taken back or used by the next one. From inside a thread the platform's sibling
 * of it is made. The outcome is `sent` with `thread`; its `messageIds` are the opening's, or empty when the platform makes a
 * thread without a message: then the opening follows as an ordinary delivery to the thread.
 */
export interface ThreadContent {
  readonly kind: "thread";
  /** At most {@link MAX_THREAD_TITLE} characters, one line, plain. */
  readonly title: string;
  /** The first message in it, or the root message it hangs on: label, agent, how to steer, when it expires (TB-2). */
  readonly opening: RenderedPiece;
  /** The message it may grow from, in the route's own conversation and at its top level; null: none. */
  readonly anchorMessageId: string | null;
  /** How long the platform is to keep it open without messages, in milliseconds; 0: as long as it can (FC-044). */
  readonly keepOpenMs: number;
}

/** In characters; the shortest limit of the platforms. */
export const MAX_THREAD_TITLE = 100;

/**
 * `sending`: claimed, the request may have left. `unconfirmed`: it may have arrived (DL-3). A row whose `messageIds` are
 * set is sent as an edit. `withdrawn`: its turn was stopped before it was sent.
 */
export const DELIVERY_STATES = ["pending", "sending", "sent", "failed", "unconfirmed", "withdrawn"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A row of the outbox: one outgoing act with its receipt. */
export interface Delivery {
  readonly id: number;
  /** From run or turn id and position; inserting it twice changes nothing (DL-2). */
  readonly key: string;
  readonly route: Route;
  readonly content: DeliveryContent;
  readonly state: DeliveryState;
  /** Counts changes of the content; a send of an older one leaves the row `pending` again. */
  readonly revision: number;
  readonly messageIds: readonly string[];
  /** Counted at claim time; waiting uses up none (DL-4). */
  readonly attempts: number;
  readonly nextAt: number;
  readonly reason: string | null;
  readonly sessionKey: SessionKey | null;
  readonly turnId: TurnId | null;
  readonly runId: RunId | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
}

/** The key of a turn's outgoing message at a position; position 0 is also its streaming preview (DL-2, TN-11). */
export function turnDeliveryKey(turnId: TurnId, position: number): string {
  return `turn:${turnId}:${position}`;
}

/** How the keys of a command's answer begin; its position follows (CM-2). */
export const COMMAND_ANSWER = "command:";

export type NewDelivery = Pick<Delivery, "key" | "route" | "content">;

/** An earlier try may have arrived, so the platform was asked (DL-3): the message stood already, or it did not. */
export type ReadBack = "found" | "not found";

/** One entry of a delivery's history (DL-16): what a try came to, or what the operator did with it. */
export interface DeliveryAct {
  /** `waits`: it is tried again. `retried`, `dismissed`: the operator's word. */
  readonly act: "sent" | "waits" | "failed" | "unconfirmed" | "withdrawn" | "retried" | "dismissed";
  /** When the try began; null: it was none. */
  readonly startedAt: number | null;
  readonly at: number;
  readonly reason: string | null;
  readonly messageIds: readonly string[];
  readonly readBack: ReadBack | null;
  /** What was sent: the preview of an answer that was not complete, or what the row is for. */
  readonly what: "preview" | "content";
  /** So many more before it are not kept one by one. */
  readonly folded: number;
}

/** The outcome of one send (never void). */
export type SendOutcome = SendResult & { readonly readBack?: ReadBack };

type SendResult =
  | {
      readonly outcome: "sent";
      readonly messageIds: readonly string[];
      /** Exactly for a `thread` content: the place that was made; messages to it go with this very route. */
      readonly thread?: Route;
    }
  /** Not accepted; `sharesLimitWith`: the platform's bucket that waits, the conversation when null. */
  | {
      readonly outcome: "retry";
      readonly afterMs: number | null;
      readonly sharesLimitWith: string | null;
      readonly reason: string;
    }
  /**
   * Will never be accepted; `gone`: the conversation itself is dead. `closed`: the thread takes nothing from the bot before
   * a person opens it again (locked, or archived beyond the bot's rights). `content`: what it says is refused, in every form
   * (FC-220). `movedTo`: its new platform id.
   */
  | {
      readonly outcome: "failed";
      readonly reason: string;
      readonly gone: boolean;
      readonly closed?: true;
      /** The bot may not write there (FC-421); `reason` names what it lacks. */
      readonly denied?: true;
      readonly content?: true;
      readonly movedTo: string | null;
    }
  /** It may have arrived: `left` tells whether the request left this machine (DL-3). */
  | { readonly outcome: "unknown"; readonly left: boolean; readonly reason: string };

/**
 * Where an answer is sent (DL-1). One immutable value: replaced whole, never merged field by field, ids verbatim as the
 * platform gave them. It comes from an inbound event or a stored row, never from a session key.
 */
export interface Route {
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  /** The platform's own conversation id. */
  readonly to: string;
  /** The platform's own thread or topic id, or null for the conversation itself. */
  readonly threadId: string | null;
}

/**
 * One string per conversation, the key of its ordered lane (DL-2). Equal exactly when the routes are equal.
 * It is only compared; ids are never parsed back out of it.
 */
export function conversationKey(route: Route): string {
  return [route.channel, route.accountId, route.to, route.threadId ?? ""].map(encodeId).join("/");
}

/** The place a conversation's key was made of: to tell an operator where something was. Nothing is ever sent to it. */
export function placeOfKey(conversation: string): Route {
  const [channel = "", accountId = "", to = "", threadId = ""] = conversation.split("/").map(decodeURIComponent);
  return { channel, accountId, to, threadId: threadId === "" ? null : threadId };
}

export function sameRoute(a: Route | null, b: Route | null): boolean {
  if (a === null || b === null) return a === b;
  return a.channel === b.channel && a.accountId === b.accountId && a.to === b.to && a.threadId === b.threadId;
}

/**
 * What is known of an origin that named no conversation (CP-4, FC-002): it cannot be sent to before the rest is filled
 * from a stored route of the same channel and, where stated, the same account.
 */
export interface PartialRoute {
  readonly channel: ChannelId;
  readonly accountId: AccountId | null;
}

export function isWholeRoute(route: Route | PartialRoute): route is Route {
  return "to" in route;
}

/*
 * Where a turn's answer goes is a value of the input that started it, decided when the input is stored (TN-15): a person's
 * message has the route it came by, a message of another session none, guidance that of the child's own thread. Only these
 * two have to be looked up.
 */

/** Where the answer to the operator's command line goes: the session's own conversation, else its last route; null: nowhere outside. */
export function operatorRoute(source: {
  /** The conversation bound to the session (TB-2). */
  readonly boundRoute: Route | null;
  /** Where the session's people last wrote (IN-16). */
  readonly lastRoute: Route | null;
}): Route | null {
  return source.boundRoute ?? source.lastRoute;
}

export interface CompletionSource {
  /** The conversation bound to the requester. */
  readonly boundRoute: Route | null;
  /** Stored at spawn: the whole route of the turn that spawned, only its channel, or nothing. */
  readonly spawnRoute: Route | PartialRoute | null;
  /** Where the requester's people last wrote. */
  readonly requesterLastRoute: Route | null;
}

/**
 * Where the answer to a completion goes (CP-4), in order: the conversation bound to the requester; the route the spawn
 * was made from, complete and as it was then, even if people have written elsewhere since (FC-181); what that origin left open,
 * from the requester's last route, and only when that has the same channel and the stated account (FC-002). A filled-in
 * route is taken whole, so a thread id never moves to another chat. null: nowhere, and the operator sees it.
 */
export function completionRoute({ boundRoute, spawnRoute, requesterLastRoute }: CompletionSource): Route | null {
  if (boundRoute !== null) return boundRoute;
  if (spawnRoute === null) return requesterLastRoute;
  if (isWholeRoute(spawnRoute)) return spawnRoute;
  if (requesterLastRoute === null || requesterLastRoute.channel !== spawnRoute.channel) return null;
  const sameAccount = spawnRoute.accountId === null || spawnRoute.accountId === requesterLastRoute.accountId;
  return sameAccount ? requesterLastRoute : null;
}
