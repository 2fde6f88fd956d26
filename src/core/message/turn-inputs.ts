import { conversationKey, type Route } from "../delivery/delivery.ts";
import type { ChannelId } from "../ids.ts";
import type { PresentAccessOf } from "../session/present-access.ts";
import type { Rights } from "../session/rights.ts";
import { parseSessionKey, type SessionKey } from "../session/session-key.ts";
import type { InboxItem } from "./inbox-item.ts";

/** Equal texts: the same effective tools (TN-4). Computed from the policy, to the right of the store. */
export type RightsSignature = (rights: Rights) => string;

export interface MergePolicy {
  /** The queue mode of the conversation an input came from (TN-3). */
  readonly mode: (route: Route | null) => QueueMode;
  readonly signature: RightsSignature;
  readonly presentAccess: PresentAccessOf;
  /** `collect`: how long nothing must have come before what waits becomes a turn, in milliseconds. */
  readonly quietMs: number;
}

/**
 * Which waiting inputs a beginning turn takes, oldest first; empty: nothing starts one (TN-3, TN-4, CP-7).
 * The first input that can start a turn decides the route and the rights; what may join it joins, notices always do,
 * and the rest waits for a separate turn.
 */
export function chooseInputs(waiting: readonly InboxItem[], policy: MergePolicy): readonly InboxItem[] {
  const first = waiting.find(startsTurn);
  if (first === undefined) return [];
  return waiting.filter((item) => item === first || isNotice(item) || mayJoin(item, first, policy));
}

/** A turn that `interrupt` must not end (it works on a sub-agent's result) sees the message instead. */
const STEERS: ReadonlySet<QueueMode> = new Set(["steer", "interrupt"]);

/**
 * TN-3 `collect`: until when the chosen inputs wait for more of their kind; null: they need not. Only what came while a turn
 * ran is collected: the first message of a quiet conversation is answered immediately. `turnEndedAt`: when the session's last turn
 * ended, null: it had none.
 */
export function collectsUntil(
  items: readonly InboxItem[],
  { mode, quietMs }: MergePolicy,
  turnEndedAt: number | null,
): number | null {
  const events = items.filter((item) => item.payload.kind === "event");
  const [first] = events;
  const newest = events.at(-1);
  if (first === undefined || newest === undefined || mode(first.route) !== "collect") return null;
  if (events.length < items.filter((item) => !isNotice(item)).length) return null;
  if (turnEndedAt === null || first.createdAt > turnEndedAt) return null;
  // A person who never stops writing gets an answer too.
  return Math.min(newest.createdAt + quietMs, turnEndedAt + LONGEST_QUIETS * quietMs);
}

const LONGEST_QUIETS = 20;

/**
 * TN-3 `interrupt`: whether what waits ends the running turn. Only a message of the turn's own conversation does, and only a
 * turn that works on nothing but people's messages: a result or another session's message would be lost with it.
 */
export function interruptsTurn(
  waiting: readonly InboxItem[],
  turn: { readonly route: Route | null; readonly inputs: readonly Pick<InboxItem, "payload" | "createdAt">[] },
  { mode }: MergePolicy,
): boolean {
  if (!turn.inputs.every(({ payload }) => payload.kind === "event" || payload.kind === "notice")) return false;
  return waiting.some(
    (item) =>
      item.payload.kind === "event" &&
      sameConversation(item, turn) &&
      (mode(item.route) === "interrupt" || turn.inputs.some((words) => isSentWith(item, words))),
  );
}

/** How much later than its comment a forward comes that was sent with it. */
export const SENT_TOGETHER_MS = 500;

/**
 * FC-209: a forward that was sent together with the words a turn works on. Clients send the comment first, and plain text waits for
 * nothing, so the turn has begun without the content: it begins again with both.
 */
function isSentWith(
  forward: Pick<InboxItem, "payload" | "createdAt">,
  words: Pick<InboxItem, "payload" | "createdAt">,
) {
  const [late, first] = [forward.payload, words.payload];
  if (late.kind !== "event" || first.kind !== "event" || late.senderId !== first.senderId) return false;
  const isForward = late.text === "" && (late.quotes ?? []).some(({ kind }) => kind === "forward");
  return isForward && forward.createdAt - words.createdAt <= SENT_TOGETHER_MS;
}

/** Which waiting inputs are shown to a running turn at its next boundary (TN-3 `steer`, CP-3). Notices wait for the next turn. */
export function chooseSteering(
  waiting: readonly InboxItem[],
  turn: Pick<InboxItem, "route" | "rights">,
  { mode, signature }: MergePolicy,
): readonly InboxItem[] {
  return waiting.filter((item) => {
    switch (item.payload.kind) {
      case "steer":
        return true;
      case "completion":
        return sameConversation(item, turn);
      case "event":
        return (
          STEERS.has(mode(item.route)) &&
          sameConversation(item, turn) &&
          signature(item.rights) === signature(turn.rights)
        );
      default:
        return false;
    }
  });
}

/**
 * The inputs that came before the oldest command that has not run yet, in order of sequence. What comes after it
 * waits for it: a message written after `/new` belongs to the new life, and one after `/stop` is not stopped (CM-4).
 */
export function beforeCommand(waiting: readonly InboxItem[]): readonly InboxItem[] {
  const at = waiting.findIndex((item) => item.payload.kind === "command");
  return at < 0 ? waiting : waiting.slice(0, at);
}

function startsTurn(item: InboxItem): boolean {
  return item.payload.kind !== "notice" || item.payload.wakes;
}

function isNotice(item: InboxItem): boolean {
  return item.payload.kind === "notice";
}

function mayJoin(item: InboxItem, first: InboxItem, { mode, signature }: MergePolicy): boolean {
  // An inter-session message always gets a separate turn: its answer goes back to its sender only (TN-15).
  if (first.payload.kind === "inter_session" || item.payload.kind === "inter_session") return false;
  if (!sameConversation(item, first)) return false;
  switch (item.payload.kind) {
    case "completion":
    case "steer":
      return true;
    case "event":
      return mode(item.route) !== "followup" && signature(item.rights) === signature(first.rights);
    default:
      return false;
  }
}

function sameConversation(a: Pick<InboxItem, "route">, b: { readonly route: Route | null }): boolean {
  if (a.route === null || b.route === null) return a.route === b.route;
  return conversationKey(a.route) === conversationKey(b.route);
}

/** The work task of a session's turns: sub-agents have their own cap, so background work never starves people (TN-1). */
export function turnTask(key: SessionKey): "turn" | "child-turn" {
  return parseSessionKey(key)?.kind === "subagent" ? "child-turn" : "turn";
}

export const QUEUE_MODES = ["steer", "followup", "collect", "interrupt"] as const;
/** How a message that arrives during a turn is handled (TN-3). */
export type QueueMode = (typeof QUEUE_MODES)[number];

export const QUEUE_DROPS = ["summarize", "old", "new"] as const;
/** How messages beyond the cap are handled (TN-3). */
export type QueueDrop = (typeof QUEUE_DROPS)[number];

/** How messages of one conversation wait for their session's turns. */
export interface QueueSettings {
  readonly mode: QueueMode;
  /** So many people's messages may wait for a session. */
  readonly cap: number;
  readonly drop: QueueDrop;
  /** `collect`: how long nothing must have come before what waits becomes a turn, in milliseconds. */
  readonly quietMs: number;
}

/** What `/queue` set for one session; what it does not say is the configuration's. */
export type QueueOverride = Partial<QueueSettings>;

export const DEFAULT_QUEUE: QueueSettings = { mode: "steer", cap: 20, drop: "summarize", quietMs: 500 };
/** Bounds of what a person or the configuration may ask for; a beginning turn takes as many inputs as a full queue holds. */
export const MAX_QUEUE_CAP = 100;
export const MAX_QUIET_MS = 60_000;

export interface ConfiguredQueue extends QueueSettings {
  readonly byChannel: ReadonlyMap<ChannelId, QueueMode>;
}

/** The configuration's queue of a channel; null: of a conversation outside every channel. */
export function channelQueue(configured: ConfiguredQueue, channel: ChannelId | null): QueueSettings {
  const { byChannel, ...queue } = configured;
  const mode = channel === null ? undefined : byChannel.get(channel);
  return mode === undefined ? queue : { ...queue, mode };
}

/** With what the session itself was told (TN-3): it goes before the channel's, that before the general one. */
export function queueWith(queue: QueueSettings, override: QueueOverride | null): QueueSettings {
  return override === null ? queue : { ...queue, ...override };
}
