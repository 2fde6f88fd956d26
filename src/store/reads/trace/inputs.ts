import type { Kysely } from "kysely";
import type { Route } from "../../../core/delivery/delivery.ts";
import type { RunId, TurnId } from "../../../core/ids.ts";
import type { InboxItem, InboxPayload, InboxState } from "../../../core/message/inbox-item.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { TurnOutcome, TurnSource } from "../../../core/session/turn.ts";
import { inboxItemFromRow, turnFromRow } from "../../rows.ts";
import type { Schema } from "../../schema.ts";

/** An input without its words. */
export interface TracedInput {
  readonly seq: number;
  readonly kind: InboxPayload["kind"];
  readonly state: InboxState;
  readonly sessionKey: SessionKey;
  /** Who sent it: a person's id, a session, or what made it. */
  readonly from: string;
  /** A command's name. */
  readonly command: string | null;
  /** The link or printable id of the message it came with. */
  readonly link: string | null;
  /** The rule that let its event in (IN-17); null: it came from within. */
  readonly rule: string | null;
  readonly route: Route | null;
  readonly turnId: TurnId | null;
  readonly runId: RunId | null;
  readonly receivedAt: number;
}

export interface TracedTurn {
  readonly id: TurnId;
  readonly sessionKey: SessionKey;
  readonly source: Pick<TurnSource, "kind" | "route">;
  readonly runId: RunId | null;
  readonly begins: number;
  readonly outcome: TurnOutcome | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** The key of the input that a command's answer belongs to; null: it is none (DL-2). */
export function commandKeyOf(deliveryKey: string): string | null {
  return /^command:(.+):(?:\d+|file)$/.exec(deliveryKey)?.[1] ?? null;
}

export async function tracedTurn(db: Kysely<Schema>, id: TurnId): Promise<TracedTurn | null> {
  const row = await db.selectFrom("turns").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const { sessionKey, source, runId, begins, outcome, startedAt, endedAt } = turnFromRow(row);
  return {
    id,
    sessionKey,
    source: { kind: source.kind, route: source.route },
    runId,
    begins,
    outcome,
    startedAt,
    endedAt,
  };
}

export async function tracedInput(db: Kysely<Schema>, item: InboxItem): Promise<TracedInput> {
  const { seq, key, state, sessionKey, payload, route, turnId, runId, receivedAt } = item;
  const event = await db
    .selectFrom("inbound_events")
    .select(["rule", "link"])
    .where("identity", "=", key)
    .executeTakeFirst();
  return {
    ...{ seq, kind: payload.kind, state, sessionKey, route, turnId, runId, receivedAt },
    from: senderOf(item),
    command: payload.kind === "command" ? payload.name : null,
    link: event?.link ?? (payload.kind === "event" ? item.cause : null),
    rule: event?.rule ?? null,
  };
}

function senderOf({ payload, route, provenance }: InboxItem): string {
  switch (payload.kind) {
    case "event":
    case "command":
      return route === null ? payload.senderId : `${route.channel} ${payload.senderId}`;
    case "task":
    case "steer":
    case "inter_session":
    case "completion":
      return payload.from;
    case "notice":
      return provenance.kind === "system" ? provenance.source : provenance.kind;
  }
}

/** What an input waits for before a turn claims it or it runs as a command. */
export type Waiting =
  /** So many of its files are not fetched yet. */
  | { readonly for: "files"; readonly count: number }
  /** More of it may come until then: an album, a text in several messages, a burst. */
  | { readonly for: "more"; readonly until: number }
  /** The thread it belongs to is being made. */
  | { readonly for: "place" }
  /** The turn that runs in its session. */
  | { readonly for: "turn"; readonly turnId: TurnId; readonly since: number; readonly ahead: number }
  /** A command that was given before it. */
  | { readonly for: "command"; readonly name: string }
  /** A free place among the turns that run; so many inputs of its session stand before it. */
  | { readonly for: "slot"; readonly ahead: number };

/** null: it does not wait. */
export async function waitingOf(db: Kysely<Schema>, item: InboxItem): Promise<Waiting | null> {
  if (item.state === "held") return heldFor(item);
  if (item.state !== "waiting") return null;
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", item.sessionKey)
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .where("seq", "<", item.seq)
    .where("kind", "<>", "notice")
    .orderBy("seq")
    .execute();
  const before = rows.map(inboxItemFromRow);
  const command = before.find(({ payload }) => payload.kind === "command");
  if (command?.payload.kind === "command") return { for: "command", name: command.payload.name };
  if (item.payload.kind === "command") return { for: "slot", ahead: 0 };
  const turn = await db
    .selectFrom("turns")
    .select(["id", "started_at"])
    .where("session_key", "=", item.sessionKey)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  const ahead = before.length;
  return turn === undefined ? { for: "slot", ahead } : { for: "turn", turnId: turn.id, since: turn.started_at, ahead };
}

function heldFor({ payload }: InboxItem): Waiting {
  const gathering = payload.kind === "event" ? payload.gathering : undefined;
  if (gathering === undefined) return { for: "place" };
  const count = gathering.attachments.length;
  return count > 0 ? { for: "files", count } : { for: "more", until: gathering.until };
}

const TAKES_BACK: ReadonlySet<string> = new Set(["stop", "new", "kill"]);

/** The command that was running when the input was withdrawn. */
export async function withdrawnBy(db: Kysely<Schema>, { seq, sessionKey }: InboxItem): Promise<string | null> {
  const own = await db.selectFrom("inbox").select("settled_at").where("seq", "=", seq).executeTakeFirst();
  if (own?.settled_at == null) return null;
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("kind", "=", "command")
    .where("created_at", "<=", own.settled_at)
    .where("seq", ">", seq)
    .where((eb) => eb.or([eb("settled_at", "is", null), eb("settled_at", ">=", own.settled_at)]))
    .orderBy("seq")
    .execute();
  for (const { payload } of rows.map(inboxItemFromRow)) {
    if (payload.kind === "command" && TAKES_BACK.has(payload.name)) return payload.name;
  }
  return null;
}
