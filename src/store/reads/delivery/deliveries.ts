import { type RawBuilder, sql } from "kysely";
import { COMMAND_ANSWER, type Delivery, type DeliveryState } from "../../../core/delivery/delivery.ts";
import { type AccountId, type ChannelId, encodeId, type TurnId } from "../../../core/ids.ts";
import { deliveryFromRow } from "../../rows.ts";
import { defineStatement } from "../../statement.ts";
import { defineRead } from "../../store.ts";

/* Literal states, not parameters: SQLite uses a partial index only when the query repeats its condition. */
const OPEN = sql<boolean>`state in ('pending', 'sending')`;
const LOST = sql<boolean>`state in ('failed', 'unconfirmed')`;

/** The delivery of a conversation that is sent next: the oldest open one, but no command's answer before the others (DL-2). */
export interface NextDelivery {
  readonly delivery: Delivery;
  readonly isPreview: boolean;
  /** No other one was open then; whatever comes later makes the conversation due anew. */
  readonly isLast: boolean;
  /** When it was claimed last, or else written, by the clock of that time. */
  readonly writtenAt: number;
}

const oldestOpen = defineStatement((db, p: { readonly conversation: string }) =>
  db.selectFrom("deliveries").selectAll().where("conversation", "=", p.conversation).where(OPEN).orderBy("id").limit(2),
);

const oldestOther = defineStatement((db, p: { readonly conversation: string }) =>
  db
    .selectFrom("deliveries")
    .selectAll()
    .where("conversation", "=", p.conversation)
    .where(OPEN)
    .where("key", "not like", sql.lit(`${COMMAND_ANSWER}%`))
    .orderBy("id")
    .limit(1),
);

/** FC-403: an answer that no part of is sent yet. One that has begun goes on, so that its parts stay together. */
function mayWait({ key, state }: { readonly key: string; readonly state: string }): boolean {
  return state === "pending" && key.startsWith(COMMAND_ANSWER) && key.endsWith(":0");
}

export const nextDelivery = defineRead(
  "next-delivery",
  async (db, conversation: string): Promise<NextDelivery | null> => {
    const [oldest, later] = await oldestOpen.all(db, { conversation });
    if (oldest === undefined) return null;
    const other = later !== undefined && mayWait(oldest) ? await oldestOther.first(db, { conversation }) : undefined;
    const row = other ?? oldest;
    const writtenAt = row.claimed_at ?? row.created_at;
    return { delivery: deliveryFromRow(row), isPreview: row.preview === 1, isLast: later === undefined, writtenAt };
  },
);

/** The conversations in which something is left to do, oldest first: after a start all, after a reconnect one account's. */
export const openConversations = defineRead(
  "open-conversations",
  async (db, account: { readonly channel: ChannelId; readonly accountId: AccountId } | null): Promise<string[]> => {
    let query = db.selectFrom("deliveries").select("conversation").where(OPEN);
    if (account !== null) {
      query = query.where("channel", "=", account.channel).where("account_id", "=", account.accountId);
    }
    const rows = await query.groupBy("conversation").orderBy(sql`min(id)`).execute();
    return rows.map((row) => row.conversation);
  },
);

/** How much of a turn's answer is still on its way. */
export const openDeliveriesOfTurn = defineRead(
  "open-deliveries-of-turn",
  async (db, turnId: TurnId): Promise<number> => {
    const rows = await db.selectFrom("deliveries").select("id").where(OPEN).where("turn_id", "=", turnId).execute();
    return rows.length;
  },
);

export const deliveryByKey = defineRead("delivery-by-key", async (db, key: string): Promise<Delivery | null> => {
  const row = await db.selectFrom("deliveries").selectAll().where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : deliveryFromRow(row);
});

/** Which deliveries the operator asks for; what is absent is not asked. */
export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly channel?: ChannelId | undefined;
  readonly accountId?: AccountId | undefined;
  /** The platform's own id of the conversation, or of a thread. */
  readonly to?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** Written to the outbox since then. */
  readonly since?: number | undefined;
}

/** The operator's view of the outbox (DL-13), newest first. `lostOnly`: failed and unconfirmed ones. */
export const listDeliveries = defineRead(
  "list-deliveries",
  async (db, input: DeliveryFilter & { readonly lostOnly: boolean; readonly limit: number }): Promise<Delivery[]> => {
    let query = db.selectFrom("deliveries").selectAll().limit(input.limit);
    if (input.lostOnly) query = query.where(LOST).orderBy("created_at", "desc");
    if (input.state !== undefined) query = query.where("state", "=", input.state);
    if (input.channel !== undefined) query = query.where("channel", "=", input.channel);
    if (input.accountId !== undefined) query = query.where("account_id", "=", input.accountId);
    if (input.sessionKey !== undefined) query = query.where("session_key", "=", input.sessionKey);
    if (input.since !== undefined) query = query.where("created_at", ">=", input.since);
    if (input.to !== undefined) query = query.where(inConversation({ to: input.to }));
    const rows = await query.orderBy("id", "desc").execute();
    return rows.map(deliveryFromRow);
  },
);

/** A place as somebody names it: `to` alone is a conversation or a thread; with `threadId` it is that thread of `to`. */
export interface NamedPlace {
  readonly to: string;
  readonly threadId?: string | undefined;
}

/** Whether a row's `conversation` (`conversationKey`) is the place. On Telegram two groups may have a topic of the same id. */
export function inConversation({ to, threadId }: NamedPlace): RawBuilder<boolean> {
  const ids = threadId === undefined ? [to] : [to, threadId];
  const part = `/${ids.map(encodeId).join("/")}/`;
  return sql<boolean>`instr(conversation || '/', ${part}) > 0`;
}
