import type { ChannelAdapter } from "../channel/adapter.ts";
import type { Renderer } from "../channel/capabilities.ts";
import { accountName } from "../channel/descriptor.ts";
import type { Delivery, DeliveryState } from "../core/delivery/delivery.ts";
import { conversationKey, type Route } from "../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
import { plainText } from "../core/text/plain-text.ts";
import type { PacedConversation } from "./pacing.ts";

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
  /** null: no such account is configured (any more): what is meant for it fails at once, no other account takes over (CP-4). */
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
 * For a conversation whose account is gone or not loaded yet: the row is written all the same and settles where the
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
