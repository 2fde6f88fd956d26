import type { ChannelAdapter } from "../channel/adapter.ts";
import { conversationKey, type Route } from "../core/delivery/route.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";
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

export function accountName(route: Pick<Route, "channel" | "accountId">): string {
  return `${route.channel}/${route.accountId}`;
}
