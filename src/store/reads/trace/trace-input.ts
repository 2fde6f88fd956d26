import type { Kysely } from "kysely";
import type { Route } from "../../../core/delivery/route.ts";
import type { RunId, TurnId } from "../../../core/ids.ts";
import type { InboxItem, InboxPayload, InboxState } from "../../../core/message/inbox-item.ts";
import type { SessionKey } from "../../../core/session/session-key.ts";
import type { TurnOutcome, TurnSource } from "../../../core/session/turn.ts";
import { turnFromRow } from "../../rows.ts";
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
