import type { Delivery, DeliveryState } from "../core/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../core/ids.ts";

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
