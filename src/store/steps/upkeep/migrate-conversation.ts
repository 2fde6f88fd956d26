import { activationPrefix, placeSendersPrefix } from "../../../core/session/session.ts";
import { buildSessionKey, parseSessionKey, type SessionKey } from "../../../core/session/session-key.ts";
import { type ConversationMove, moveDeliveries, moveRoutes, moveSessionKey } from "../../parts/move-conversation.ts";
import { movedFromName, movedToName } from "../../reads/inbound/sender-facts.ts";
import { defineStep, type StepContext } from "../../store.ts";

/**
 * SK-9, FC-055: a conversation got another platform id. Its sessions, stored routes, waiting deliveries and, through the
 * remembered former id, its allowlist entries move in this one step; the old keys go on resolving. Returns the new keys;
 * the first of the platform's two messages or a refused send triggers it, and a repetition finds only routes and
 * deliveries that were decided from the old id since: a send that is refused over and over because its row stayed behind
 * would never end.
 */
export const migrateConversation = defineStep(
  "migrate-conversation",
  "full",
  async (context, move: ConversationMove): Promise<readonly SessionKey[]> => {
    const moved: SessionKey[] = [];
    const keys = (await rememberMove(context, move)) ? await keysOf(context, move) : [];
    for (const [from, to] of keys) {
      await moveSessionKey(context, from, to);
      moved.push(to);
    }
    for (const prefix of [activationPrefix, placeSendersPrefix]) await moveNames(context, move, prefix);
    await moveRoutes(context, move);
    await moveDeliveries(context, move);
    return moved;
  },
);

/** False: the move is known. */
async function rememberMove({ db }: StepContext, move: ConversationMove): Promise<boolean> {
  const { channel, accountId, from, to } = move;
  const account = { channel, account_id: accountId };
  const known = await db
    .selectFrom("account_state")
    .select("value")
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .where("name", "=", movedToName(from))
    .executeTakeFirst();
  if (known?.value === to) return false;
  // Ids that led to the old one lead to the new one.
  await db
    .updateTable("account_state")
    .set({ value: to })
    .where("channel", "=", channel)
    .where("account_id", "=", accountId)
    .where("name", "like", "moved-to/%")
    .where("value", "=", from)
    .execute();
  for (const [name, value] of [
    [movedToName(from), to],
    [movedFromName(to), from],
  ] as const) {
    await db
      .insertInto("account_state")
      .values({ ...account, name, value })
      .onConflict((conflict) => conflict.columns(["channel", "account_id", "name"]).doUpdateSet({ value }))
      .execute();
  }
  return true;
}

/** CM-13, CM-14: the settings of the group and its topics still apply; settings of the new id win. */
async function moveNames(
  { db }: StepContext,
  { channel, accountId, from, to }: ConversationMove,
  prefix: (peerId: string) => string,
): Promise<void> {
  const old = prefix(from);
  const own = db.selectFrom("account_state").where("channel", "=", channel).where("account_id", "=", accountId);
  const alike = await own.select(["name", "value"]).where("name", "like", `${old}%`).execute();
  // `_` and `%` of an id are themselves.
  for (const { name, value } of alike.filter((row) => row.name.startsWith(old))) {
    const moved = `${prefix(to)}${name.slice(old.length)}`;
    await db
      .insertInto("account_state")
      .values({ channel, account_id: accountId, name: moved, value })
      .onConflict((conflict) => conflict.columns(["channel", "account_id", "name"]).doNothing())
      .execute();
    await db
      .deleteFrom("account_state")
      .where("channel", "=", channel)
      .where("account_id", "=", accountId)
      .where("name", "=", name)
      .execute();
  }
}

/** Every key of the conversation and its topics, of every agent, including keys with kept context only. */
async function keysOf(
  { db }: StepContext,
  move: ConversationMove,
): Promise<readonly (readonly [SessionKey, SessionKey])[]> {
  const sessions = await db.selectFrom("sessions").select("key").where("channel", "=", move.channel).execute();
  const kept = await db.selectFrom("pending_context").select("session_key as key").distinct().execute();
  const keys = new Set([...sessions, ...kept].map((row) => row.key));
  return [...keys].flatMap((key) => {
    const to = movedKey(key, move);
    return to === null ? [] : [[key as SessionKey, to] as const];
  });
}

function movedKey(key: string, move: ConversationMove): SessionKey | null {
  const parts = parseSessionKey(key);
  if (parts === null || (parts.kind !== "group" && parts.kind !== "channel")) return null;
  const meant = parts.channel === move.channel && parts.accountId === move.accountId && parts.id === move.from;
  return meant ? buildSessionKey({ ...parts, id: move.to }) : null;
}
