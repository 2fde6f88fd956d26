import type { ChannelAdapter } from "../channel/adapter.ts";
import type { PacingBucket, Renderer } from "../channel/capabilities.ts";
import { conversationKey, type Delivery, type DeliveryState, type Route } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import { accountName } from "../core/ids.ts";
import type { Clock } from "../core/runtime.ts";
import { plainText } from "../core/text/plain-text.ts";

/**
 * The pure token bucket, in one number: the time at which the bucket would be full again (`fullAt`), which rises by
 * `intervalMs` with each token taken. Times are milliseconds since the epoch.
 */
export function tokenFreeAt(fullAt: number, rule: Pick<PacingBucket, "intervalMs" | "burst">, spare = 0): number {
  return fullAt - (rule.burst - 1 - spare) * rule.intervalMs;
}

/** The bucket after a token was taken at `at`. */
export function afterToken(fullAt: number, rule: Pick<PacingBucket, "intervalMs">, at: number): number {
  return Math.max(fullAt, at) + rule.intervalMs;
}

/** Finals come before previews, previews before typing (DL-5): the lower ones leave that many tokens to the higher ones. */
const SPARE = { preview: 1, typing: 2 } as const;

export interface PacedConversation {
  /** Bucket names are only unique within an account. */
  readonly account: string;
  readonly conversation: string;
  readonly buckets: readonly PacingBucket[];
  /** `pacing: false`: nothing waits for tokens; holds still count. */
  readonly paced: boolean;
}

/** What one process knows of the platforms' limits: token buckets, and the holds that 429s asked for. */
export interface Pacer {
  /** Resolves when the message may go, with a token of every bucket taken. First come, first served. */
  wait(place: PacedConversation, pause: (ms: number) => Promise<void>): Promise<void>;
  /** For what may be left out: takes tokens only when they are to spare and nothing is held. */
  tryTake(place: PacedConversation, use: keyof typeof SPARE): boolean;
  /** Holds a bucket, or the conversation alone when `bucket` is null or unknown to the platform's rules (DL-4). */
  hold(place: PacedConversation, bucket: string | null, until: number): void;
  /** Until when this conversation is held; a time in the past when it is not. Takes nothing. */
  heldUntil(place: PacedConversation): number;
}

const MAX_IDLE_ENTRIES = 5_000;

/**
 * Buckets and holds live in memory: after a restart the platform's own 429 says it again, which uses up no attempt. When the
 * machine's clock is set back they move with it: a wait is a length of time, and must not grow by what was corrected.
 */
export function createPacer(clock: Clock): Pacer {
  const fullAt = new Map<string, number>();
  const holds = new Map<string, number>();
  let seen = clock.now();

  const present = (): number => {
    const now = clock.now();
    if (now < seen)
      for (const times of [fullAt, holds]) for (const [key, at] of times) times.set(key, at - (seen - now));
    seen = now;
    return now;
  };

  const bucketKey = (place: PacedConversation, name: string): string => `${place.account} ${name}`;
  const conversationHold = (place: PacedConversation): string => `= ${place.conversation}`;
  const taken = (place: PacedConversation, rule: PacingBucket): number => fullAt.get(bucketKey(place, rule.name)) ?? 0;

  const take = (place: PacedConversation, rule: PacingBucket, at: number): void => {
    fullAt.set(bucketKey(place, rule.name), afterToken(taken(place, rule), rule, at));
    if (fullAt.size > MAX_IDLE_ENTRIES) forget(fullAt, present());
  };

  const heldUntil = (place: PacedConversation): number => {
    const names = place.buckets.map((rule) => bucketKey(place, rule.name));
    present();
    return Math.max(0, ...[conversationHold(place), ...names].map((key) => holds.get(key) ?? 0));
  };

  return {
    async wait(place, pause) {
      if (!place.paced) return;
      // One after the other, the slowest first: taken all at once, a busy chat's wait would be charged to the whole bot.
      for (const rule of [...place.buckets].sort((a, b) => b.intervalMs - a.intervalMs)) {
        const now = present();
        const at = Math.max(now, tokenFreeAt(taken(place, rule), rule));
        take(place, rule, at);
        if (at - now >= 1) await pause(at - now);
      }
    },
    tryTake(place, use) {
      const now = present();
      if (heldUntil(place) > now) return false;
      if (!place.paced) return true;
      const spare = SPARE[use];
      if (place.buckets.some((rule) => tokenFreeAt(taken(place, rule), rule, spare) > now)) return false;
      for (const rule of place.buckets) take(place, rule, now);
      return true;
    },
    hold(place, bucket, until) {
      present();
      const shared = place.buckets.some((rule) => rule.name === bucket);
      const key = shared && bucket !== null ? bucketKey(place, bucket) : conversationHold(place);
      holds.set(key, Math.max(holds.get(key) ?? 0, until));
      if (holds.size > MAX_IDLE_ENTRIES) forget(holds, present());
    },
    heldUntil,
  };
}

/** Entries whose time is past say nothing more: a full bucket, an ended hold. */
function forget(entries: Map<string, number>, now: number): void {
  for (const [key, at] of entries) if (at <= now) entries.delete(key);
}

/** Bounds how many things of one name run at once; who comes first goes first. */
export interface Lanes {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * One bound per name: an account whose platform hangs fills its own lane and no other, so that one blocked conversation
 * never delays another account's (DL-4).
 */
export function createLanes(perName: number): Lanes {
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const enter = (name: string): Promise<void> | null => {
    const active = running.get(name) ?? 0;
    if (active < perName) {
      running.set(name, active + 1);
      return null;
    }
    return new Promise((resolve) => {
      const queue = waiting.get(name) ?? [];
      queue.push(resolve);
      waiting.set(name, queue);
    });
  };

  const leave = (name: string): void => {
    // The slot is handed on, not released: no later caller can take it in between.
    const next = waiting.get(name)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    waiting.delete(name);
    const active = (running.get(name) ?? 1) - 1;
    if (active === 0) running.delete(name);
    else running.set(name, active);
  };

  return {
    async run(name, work) {
      await enter(name);
      try {
        return await work();
      } finally {
        leave(name);
      }
    },
  };
}

/** An account as the delivery sees it. */
export interface DeliveryAccount {
  readonly adapter: ChannelAdapter;
  /** False while the platform cannot be reached through it; waiting for it uses up no attempt (DL-4). */
  readonly ready: boolean;
  /** It is not ready, but only the line that brings events is known to be down: what may be tried twice is sent (FC-071). */
  readonly mayTry?: boolean;
  /** `channels.<c>.pacing`. */
  readonly pacing: boolean;
}

/** PORT: the running accounts; the supervisor of the adapters implements it. */
export interface DeliveryAccounts {
  /** null: no such account is configured (any more): its deliveries fail immediately, and no other account is used (CP-4). */
  find(channel: ChannelId, accountId: AccountId): DeliveryAccount | null;
}

/** What the pacer needs to know of a route on its account. */
export function pacedConversation(account: DeliveryAccount, route: Route): PacedConversation {
  return {
    account: accountName(route),
    conversation: conversationKey(route),
    buckets: account.adapter.capabilities.pacing?.buckets(route) ?? [],
    paced: account.pacing,
  };
}

/**
 * For a conversation whose account no longer exists or is not loaded yet: the row is written anyway and settles where the
 * operator sees it (CP-4). Within the smallest limit of any platform.
 */
export const PLAIN_RENDERER: Renderer = {
  maxLength: 2_000,
  render: (nodes) => {
    const plain = plainText(nodes);
    return { rich: plain, plain, length: plain.length };
  },
};

/** What happens to deliveries, for metrics (OP-8), account health (CH-5) and tests that wait on events. No content. */
export type DeliveryEvent =
  | {
      readonly type: "sending";
      readonly delivery: Delivery;
    }
  | {
      readonly type: "settled";
      readonly delivery: Delivery;
      readonly state: DeliveryState;
      readonly reason: string | null;
      /** How long the platform took, in milliseconds. */
      readonly sendMs: number;
      /** From the row's first insertion to now. */
      readonly ageMs: number;
      readonly isPreview: boolean;
    }
  /** `failures` network or platform errors in a row on one account: it is `degraded`. Told again with each further one. */
  | {
      readonly type: "account-trouble";
      readonly channel: ChannelId;
      readonly accountId: AccountId;
      readonly failures: number;
      readonly reason: string;
    }
  /** The first success after a streak. */
  | { readonly type: "account-recovered"; readonly channel: ChannelId; readonly accountId: AccountId };

export type DeliveryEvents = (event: DeliveryEvent) => void;
