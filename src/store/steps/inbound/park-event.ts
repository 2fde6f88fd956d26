import type { AccountId, ChannelId } from "../../../core/ids.ts";
import { eventParked } from "../../../core/texts/store/outcomes.ts";
import { insertFailure } from "../../parts/record-failure.ts";
import { defineStep } from "../../store.ts";

export interface ParkedEvent {
  /** The identity key, or what the adapter knows the update by when it never became an event. */
  readonly identity: string;
  readonly channel: ChannelId;
  readonly accountId: AccountId;
  readonly error: string;
  /** The platform's own payload, for the operator; cut to 64 KiB. */
  readonly raw: string;
}

const MAX_RAW = 65_536;

/** IN-3: an event that failed three times is set aside with its error, so that it never blocks those behind it. Once per identity. */
export const parkEvent = defineStep("park-event", "full", async (context, event: ParkedEvent): Promise<void> => {
  const parked = await context.db
    .insertInto("inbound_events")
    .values({
      identity: event.identity,
      channel: event.channel,
      account_id: event.accountId,
      conversation: "",
      message_id: "",
      sender_id: "",
      from_bot: 0,
      result: "parked",
      rule: event.error,
      session_key: null,
      inbox_seq: null,
      facts_json: JSON.stringify({ raw: event.raw.slice(0, MAX_RAW) }),
      album: null,
      link: null,
      received_at: context.now,
    })
    .onConflict((conflict) => conflict.column("identity").doNothing())
    .executeTakeFirst();
  if (parked.numInsertedOrUpdatedRows === 0n) return;
  await insertFailure(context, {
    kind: "inbound",
    subject: event.identity,
    sessionKey: null,
    message: eventParked(event),
  });
});
