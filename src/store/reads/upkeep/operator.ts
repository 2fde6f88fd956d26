import { type Kysely, sql } from "kysely";
import { conversationKey } from "../../../core/delivery/delivery.ts";
import type { Session } from "../../../core/session/session.ts";
import { sessionFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";
import { defineRead } from "../../store.ts";

export interface OperatorSession {
  readonly session: Session;
  readonly status: "idle" | "queued" | "running";
  /** What its conversation is called where that is known: a channel or thread of the chat page. */
  readonly title: string | null;
}

/** Every session, for the operator only: no visibility rule applies here. The most recently used first; archived ones too. */
export const operatorSessions = defineRead(
  "operator-sessions",
  async (
    db,
    input: { readonly search: string | null; readonly limit: number },
  ): Promise<readonly OperatorSession[]> => {
    let query = db
      .selectFrom("sessions")
      .selectAll()
      .select([
        sql<number>`exists (select 1 from turns where turns.session_key = sessions.key and turns.ended_at is null)`.as(
          "running",
        ),
        sql<number>`exists (select 1 from inbox where inbox.session_key = sessions.key and inbox.state = 'waiting'
          and inbox.state in ('held', 'waiting', 'claimed') and inbox.kind <> 'notice')`.as("queued"),
      ]);
    if (input.search !== null) {
      const wanted = input.search.toLowerCase();
      // Not `like`: `%` and `_` in the words are themselves.
      const position = sql<number>`replace(search_text, ${wanted}, '')`;
      query = query.where(sql<boolean>`length(${position}) < length(search_text)`);
    }
    const rows = await query.orderBy("updated_at", "desc").orderBy("key").limit(input.limit).execute();
    const sessions = rows.map(sessionFromRow);
    const titles = await titlesOf(db, sessions);
    return rows.map((row, at) => ({
      session: sessionFromRow(row),
      status: row.running ? "running" : row.queued ? "queued" : "idle",
      title: titles[at] ?? null,
    }));
  },
);

async function titlesOf(db: Kysely<Schema>, sessions: readonly Session[]): Promise<readonly (string | null)[]> {
  const routes = sessions.map(({ originRoute }) => originRoute);
  const ids = [...new Set(routes.flatMap((route) => (route === null ? [] : [route.to])))];
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("conversations")
    .select(["channel", "account_id", "to_id", "thread_id", "title"])
    .where("to_id", "in", ids)
    .execute();
  const titles = new Map(
    rows.map(({ channel, account_id: accountId, to_id: to, thread_id: thread, title }) => [
      conversationKey({ channel, accountId, to, threadId: thread === "" ? null : thread }),
      title,
    ]),
  );
  return routes.map((route) => (route === null ? null : (titles.get(conversationKey(route)) ?? null)));
}

/** The session of a key or session id, with the history of that id; null: it does not exist. */
export const operatorSession = defineRead(
  "operator-session",
  async (db, reference: string): Promise<{ readonly session: Session; readonly sessionId: string } | null> => {
    const life = await db
      .selectFrom("session_ids")
      .select(["session_key", "session_id"])
      .where("session_id", "=", reference)
      .executeTakeFirst();
    const alias = await db
      .selectFrom("session_aliases")
      .select("new_key")
      .where("old_key", "=", reference)
      .executeTakeFirst();
    const key = life?.session_key ?? alias?.new_key ?? reference;
    const row = await db.selectFrom("sessions").selectAll().where("key", "=", key).executeTakeFirst();
    return row === undefined ? null : { session: sessionFromRow(row), sessionId: life?.session_id ?? row.session_id };
  },
);

/** Every session key, to name the nearest ones to a mistyped one; the newest 1,000. */
export const recentSessionKeys = defineRead(
  "recent-session-keys",
  async (db, _input: null): Promise<readonly string[]> => {
    const rows = await db.selectFrom("sessions").select("key").orderBy("updated_at", "desc").limit(1_000).execute();
    return rows.map((row) => row.key);
  },
);

/** How much there is, for the operator's status. */
export interface StoreCounts {
  readonly sessions: number;
  readonly waitingInputs: number;
  /** When the oldest input that waits arrived; null: none waits. */
  readonly oldestWaitingAt: number | null;
  readonly openTurns: number;
  readonly openRuns: number;
  readonly openDeliveries: number;
  readonly lostDeliveries: number;
  readonly pairingRequests: number;
}

export interface OperatorFailure {
  readonly kind: string;
  readonly subject: string;
  readonly sessionKey: string | null;
  readonly message: string;
  readonly at: number;
}

/* Literal states, not parameters: SQLite uses a partial index only when the query repeats its condition. */
export const storeCounts = defineRead("store-counts", async (db, now: number): Promise<StoreCounts> => {
  const count = sql<number>`count(*)`.as("count");
  const sessions = await db.selectFrom("sessions").select(count).executeTakeFirst();
  // As in `oldestWaitingInput`: a notice needs no turn, and a message also waits for its files.
  const waiting = await db
    .selectFrom("inbox")
    .select([count, sql<number | null>`min(received_at)`.as("oldest")])
    .where("settled_at", "is", null)
    .where("kind", "<>", "notice")
    .where((either) =>
      either.or([
        either("state", "=", "waiting"),
        either.and([either("state", "=", "held"), either("kind", "=", "event")]),
      ]),
    )
    .executeTakeFirst();
  const turns = await db.selectFrom("turns").select(count).where("ended_at", "is", null).executeTakeFirst();
  const runs = await db.selectFrom("runs").select(count).where("ended_at", "is", null).executeTakeFirst();
  const deliveries = db.selectFrom("deliveries").select(count);
  const open = await deliveries.where(sql<boolean>`state in ('pending', 'sending')`).executeTakeFirst();
  const lost = await deliveries.where(sql<boolean>`state in ('failed', 'unconfirmed')`).executeTakeFirst();
  const pairing = await db
    .selectFrom("pairing_requests")
    .select(count)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return {
    sessions: Number(sessions?.count ?? 0),
    waitingInputs: Number(waiting?.count ?? 0),
    oldestWaitingAt: waiting?.oldest === null || waiting === undefined ? null : Number(waiting.oldest),
    openTurns: Number(turns?.count ?? 0),
    openRuns: Number(runs?.count ?? 0),
    openDeliveries: Number(open?.count ?? 0),
    lostDeliveries: Number(lost?.count ?? 0),
    pairingRequests: Number(pairing?.count ?? 0),
  };
});

/** The newest entries of the operator's view (TN-16). */
export const recentFailures = defineRead(
  "recent-failures",
  async (db, input: { readonly limit: number }): Promise<readonly OperatorFailure[]> => {
    const rows = await db.selectFrom("failures").selectAll().orderBy("id", "desc").limit(input.limit).execute();
    return rows.map((row) => ({
      kind: row.kind,
      subject: row.subject,
      sessionKey: row.session_key,
      message: row.message,
      at: row.at,
    }));
  },
);
