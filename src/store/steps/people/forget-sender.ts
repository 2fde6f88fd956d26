import type { ChannelId } from "../../../core/ids.ts";
import type { EventFacts } from "../../../core/message/inbound-event.ts";
import type { InboxPayload } from "../../../core/message/inbox-item.ts";
import type { MessagePart, Provenance } from "../../../core/message/transcript.ts";
import type { Rights } from "../../../core/session/rights.ts";
import { readPlaceSender } from "../../../core/session/session.ts";
import { REMOVED_MESSAGE } from "../../../core/texts/agent/session-notices.ts";
import { FROM_QUEUE } from "../../parts/cap-queue.ts";
import { defineStep, type StepContext } from "../../store.ts";

/** The person whose data is deleted (OP-10): one person on one platform, on all its accounts. */
export interface Forgotten {
  readonly channel: ChannelId;
  /** The platform's id of the person, as messages and access lists have it. */
  readonly senderId: string;
}

const NOBODY = "forgotten";
const REMOVED: readonly MessagePart[] = [{ type: "text", text: REMOVED_MESSAGE }];
/** Of the notice of a full queue (`cap-queue.ts`), as it is stored. */
const QUEUE = JSON.stringify(FROM_QUEUE);

/**
 * OP-10: what is kept of a person beside transcripts: access, pending requests, unread messages, what
 * came in. Identities of events stay, so that one that comes again is still known. Returns how many rows went.
 */
export const forgetSender = defineStep(
  "forget-sender",
  "full",
  async (
    context,
    input: Forgotten,
  ): Promise<{ readonly access: number; readonly inputs: number; readonly events: number }> => {
    const { db } = context;
    const { channel, senderId } = input;
    let access = 0;
    for (const table of ["paired_senders", "pairing_requests"] as const) {
      const removed = await db
        .deleteFrom(table)
        .where("channel", "=", channel)
        .where("sender_id", "=", senderId)
        .executeTakeFirst();
      access += Number(removed.numDeletedRows);
    }
    access += await leavePlaces(context, input);
    await db
      .deleteFrom("pending_context")
      .where("identity", "in", (eb) =>
        eb
          .selectFrom("inbound_events")
          .select("identity")
          .where("channel", "=", channel)
          .where("sender_id", "=", senderId),
      )
      .execute();
    await dropHeld(context, input);
    await blankNotices(context, input);
    return { access, inputs: await dropInputs(context, input), events: await blankEvents(context, input) };
  },
);

/** Their place on the stored lists of groups and channels. */
async function leavePlaces({ db }: StepContext, { channel, senderId }: Forgotten): Promise<number> {
  const own = db.selectFrom("account_state").where("channel", "=", channel).where("name", "like", "senders/%");
  const names = (await own.select("name").execute())
    .map(({ name }) => name)
    .filter((name) => readPlaceSender(name)?.senderId === senderId);
  for (const name of names) {
    await db.deleteFrom("account_state").where("channel", "=", channel).where("name", "=", name).execute();
  }
  return names.length;
}

async function dropHeld({ db }: StepContext, { channel, senderId }: Forgotten): Promise<void> {
  const rows = await db
    .selectFrom("held_events")
    .select(["seq", "event_json"])
    .where("channel", "=", channel)
    .where("event_json", "like", `%${JSON.stringify(senderId)}%`)
    .execute();
  for (const { seq, event_json } of rows) {
    const event = JSON.parse(event_json) as { readonly sender: { readonly id: string } };
    if (event.sender.id === senderId) await db.deleteFrom("held_events").where("seq", "=", seq).execute();
  }
}

/** What is claimed belongs to a turn that works on it: only its words go. */
async function dropInputs({ db }: StepContext, { channel, senderId }: Forgotten): Promise<number> {
  const rows = await db
    .selectFrom("inbox")
    .select(["seq", "state", "payload_json", "rights_json"])
    .where("kind", "in", ["event", "command"])
    .where("rights_json", "like", `%${JSON.stringify(senderId)}%`)
    .execute();
  let dropped = 0;
  for (const { seq, state, payload_json, rights_json } of rows) {
    const { sender } = JSON.parse(rights_json) as Rights;
    if (sender?.channel !== channel || sender.id !== senderId) continue;
    dropped += 1;
    const payload = JSON.parse(payload_json) as InboxPayload;
    if (state === "claimed" && payload.kind === "event") {
      const blank = {
        ...payload,
        text: REMOVED_MESSAGE,
        senderName: NOBODY,
        reply: null,
        quotes: [],
        attachments: [],
        attachmentNotes: [],
        admission: undefined,
      };
      await db
        .updateTable("inbox")
        .set({ payload_json: JSON.stringify(blank) })
        .where("seq", "=", seq)
        .execute();
    } else {
      await db.deleteFrom("inbox").where("seq", "=", seq).execute();
    }
  }
  return dropped;
}

/** TN-3: the notice of a full queue says how their messages began; it waits, or a turn has read it. */
async function blankNotices({ db }: StepContext, { channel, senderId }: Forgotten): Promise<void> {
  const rows = await db
    .selectFrom("inbox")
    .select(["seq", "turn_id", "payload_json"])
    .where("kind", "=", "notice")
    .where("provenance_json", "=", QUEUE)
    .where("seq", "in", (eb) =>
      eb
        .selectFrom("inbound_events")
        .select((of) => of.ref("inbox_seq").$notNull().as("seq"))
        .where("channel", "=", channel)
        .where("sender_id", "=", senderId)
        .where("inbox_seq", "is not", null),
    )
    .execute();
  for (const { seq, turn_id, payload_json } of rows) {
    const blank = { ...(JSON.parse(payload_json) as InboxPayload), text: REMOVED_MESSAGE };
    await db
      .updateTable("inbox")
      .set({ payload_json: JSON.stringify(blank) })
      .where("seq", "=", seq)
      .execute();
    if (turn_id === null) continue;
    await db
      .updateTable("messages")
      .set({ parts_json: JSON.stringify(REMOVED) })
      .where("turn_id", "=", turn_id)
      .where("provenance_json", "=", QUEUE)
      .execute();
  }
}

async function blankEvents({ db }: StepContext, { channel, senderId }: Forgotten): Promise<number> {
  const rows = await db
    .selectFrom("inbound_events")
    .select(["identity", "rule", "facts_json"])
    .where("channel", "=", channel)
    .where("sender_id", "=", senderId)
    .execute();
  // The rule of a refusal mentions the person that a list does not contain.
  const named = new RegExp(`(?<![\\w-])${senderId.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w-])`, "g");
  for (const { identity, rule, facts_json } of rows) {
    const facts: EventFacts = { ...(JSON.parse(facts_json) as EventFacts), attachments: [], senderNames: [] };
    await db
      .updateTable("inbound_events")
      .set({
        sender_id: NOBODY,
        rule: rule.replace(named, NOBODY),
        link: null,
        facts_json: JSON.stringify(facts),
      })
      .where("identity", "=", identity)
      .execute();
  }
  return rows.length;
}

/**
 * OP-10: puts a placeholder where the person's words and attachments stood in transcripts, and in place of summaries made from
 * them; search finds them no more. Looks at `limit` messages behind `afterSeq`; `next` null: that was all.
 */
export const forgetMessages = defineStep(
  "forget-messages",
  "full",
  async (
    { db },
    input: Forgotten & { readonly afterSeq: number; readonly limit: number },
  ): Promise<{ readonly messages: number; readonly next: number | null }> => {
    const { channel, senderId, afterSeq, limit } = input;
    const page = await db
      .selectFrom((eb) =>
        eb.selectFrom("messages").select("seq").where("seq", ">", afterSeq).orderBy("seq").limit(limit).as("page"),
      )
      .select((eb) => eb.fn.max("page.seq").as("last"))
      .executeTakeFirst();
    const last = page?.last ?? null;
    if (last === null) return { messages: 0, next: null };
    const rows = await db
      .selectFrom("messages")
      .select(["seq", "session_id", "provenance_json"])
      .where("seq", ">", afterSeq)
      .where("seq", "<=", last)
      .where("provenance_json", "like", `%${JSON.stringify(senderId)}%`)
      .execute();
    const lives = new Set<string>();
    let messages = 0;
    for (const { seq, session_id, provenance_json } of rows) {
      const provenance = JSON.parse(provenance_json) as Provenance;
      if (provenance.kind !== "human") continue;
      const { sender } = provenance;
      if (sender.channel !== channel || sender.id !== senderId) continue;
      const nobody: Provenance = {
        kind: "human",
        sender: { ...sender, id: NOBODY },
        senderName: NOBODY,
        messageId: null,
      };
      await db
        .updateTable("messages")
        .set({ parts_json: JSON.stringify(REMOVED), provenance_json: JSON.stringify(nobody) })
        .where("seq", "=", seq)
        .execute();
      messages += 1;
      lives.add(session_id);
    }
    for (const life of lives) {
      await db
        .updateTable("compactions")
        .set({ summary: REMOVED_MESSAGE })
        .where("session_id", "=", life)
        .where("kind", "=", "summary")
        .execute();
      // Which of the older notices told of them is no longer known.
      await db
        .updateTable("messages")
        .set({ parts_json: JSON.stringify(REMOVED) })
        .where("session_id", "=", life)
        .where("provenance_json", "=", QUEUE)
        .execute();
    }
    return { messages, next: last };
  },
);
