import type { TurnEvent } from "../../agent/turn/ports.ts";
import type { ReactionPlace } from "../../channel/capabilities.ts";
import type { InboundEvent } from "../../core/message/inbound-event.ts";
import type { Logger } from "../../core/runtime.ts";
import type { AccountSettings } from "../../core/settings.ts";
import type { DeliveryAccounts, DeliveryEvent, Pacer } from "../../delivery/pacing.ts";
import { pacedConversation } from "../../delivery/pacing.ts";
import { openDeliveriesOfTurn } from "../../store/reads/delivery/deliveries.ts";
import { turnInputs } from "../../store/reads/inbound/inbox.ts";
import type { Store } from "../../store/store.ts";

/** The reaction that says a message is being worked on (CH-8). Nothing waits for it, and its failures never matter. */
export interface Acknowledge {
  /** The message became an input. */
  accepted(event: InboundEvent, account: AccountSettings): void;
  onTurn(event: TurnEvent): void;
  onDelivery(event: DeliveryEvent): void;
}

export function createAcknowledge(deps: {
  readonly store: Store;
  readonly accounts: DeliveryAccounts;
  /** Some account reacts, as the configuration is now: otherwise nothing is looked up when a turn ends. */
  readonly anyReacts: () => boolean;
  readonly account: (of: Pick<AccountSettings, "channel" | "accountId">) => AccountSettings | undefined;
  readonly pacer: Pacer;
  readonly log: Logger;
}): Acknowledge {
  const { store, pacer, log } = deps;
  /** A removal goes out after its reaction. */
  const underWay = new Map<string, Promise<void>>();
  /** Turns that ended while their answer is on its way, with what is taken away when it stands. */
  const answering = new Map<string, readonly ReactionPlace[]>();

  const noted = (error: unknown): void => log.debug({ err: error }, "an acknowledging reaction could not be changed");

  function change(what: "put" | "remove", place: ReactionPlace, emoji: string): void {
    const { route, messageId } = place;
    const account = deps.accounts.find(route.channel, route.accountId);
    const reactions = account?.adapter.capabilities.reactions;
    if (account === null || reactions === undefined || !account.ready) return;
    // It yields to messages where tokens are scarce (DL-5); what was put is taken away all the same.
    if (what === "put" && !pacer.tryTake(pacedConversation(account, route), "typing")) return;
    const key = `${route.channel}/${route.accountId}/${route.to}/${messageId}`;
    const before = underWay.get(key) ?? Promise.resolve();
    const done = before
      .then(() => reactions[what](place, emoji))
      .catch(noted)
      .finally(() => {
        if (underWay.get(key) === done) underWay.delete(key);
      });
    underWay.set(key, done);
  }

  function removeAll(places: readonly ReactionPlace[]): void {
    for (const place of places) {
      const emoji = deps.account(place.route)?.ackReaction ?? null;
      if (emoji !== null) change("remove", place, emoji);
    }
  }

  async function turnEnded(turnId: string): Promise<void> {
    const places = (await store.read(turnInputs, turnId)).flatMap(({ payload, route }) =>
      payload.kind === "event" && route !== null ? [{ route, messageId: payload.messageId }] : [],
    );
    if (!places.some(({ route }) => (deps.account(route)?.ackReaction ?? null) !== null)) return;
    answering.set(turnId, places);
    await lookAt(turnId);
  }

  async function lookAt(turnId: string): Promise<void> {
    const places = answering.get(turnId);
    if (places === undefined || (await store.read(openDeliveriesOfTurn, turnId)) > 0) return;
    answering.delete(turnId);
    removeAll(places);
  }

  return {
    accepted(event, { ackReaction }) {
      if (ackReaction === null || event.kind !== "message") return;
      change("put", { route: event.route, messageId: event.identity.messageId }, ackReaction);
    },
    onTurn(event) {
      if (event.type === "turn_ended" && deps.anyReacts()) turnEnded(event.turn.id).catch(noted);
    },
    onDelivery(event) {
      if (event.type !== "settled" || event.delivery.turnId === null) return;
      if (answering.has(event.delivery.turnId)) lookAt(event.delivery.turnId).catch(noted);
    },
  };
}
