import { sql } from "kysely";
import { defineRead } from "../../store.ts";

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
  // As in `oldestWaitingInput`: a notice waits for no turn of its own, a message waits for its files too.
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
