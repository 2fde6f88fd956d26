import type { Selectable } from "kysely";
import { conversationKey } from "../../core/delivery/route.ts";
import type { InboxItem } from "../../core/message/inbox-item.ts";
import { turnTask } from "../../core/message/turn-inputs.ts";
import { defineStatement } from "../statement.ts";
import type { StepContext } from "../store.ts";
import type { InboxTable } from "../tables/work.ts";

export type NewInput = Pick<
  InboxItem,
  "key" | "sessionKey" | "payload" | "provenance" | "route" | "rights" | "cause"
> & {
  readonly state?: "waiting" | "held";
  readonly runId?: string | null;
  readonly callId?: string | null;
};

const insertRow = defineStatement((db, p: Omit<Selectable<InboxTable>, "seq">) =>
  db
    .insertInto("inbox")
    .values(p)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("seq"),
);

/**
 * Part of a step: an input of a session, once per key; a waiting one makes its session due, unless it is a notice that
 * wakes nobody. Returns its sequence, or null when the key was there before.
 */
export async function insertInput({ db, now, enqueue }: StepContext, input: NewInput): Promise<number | null> {
  const state = input.state ?? "waiting";
  const row = await insertRow.first(db, {
    key: input.key,
    session_key: input.sessionKey,
    kind: input.payload.kind,
    state,
    payload_json: JSON.stringify(input.payload),
    provenance_json: JSON.stringify(input.provenance),
    route_json: input.route === null ? null : JSON.stringify(input.route),
    conversation: input.route === null ? null : conversationKey(input.route),
    rights_json: JSON.stringify(input.rights),
    turn_id: null,
    run_id: input.runId ?? null,
    call_id: input.callId ?? null,
    cause: input.cause,
    received_at: now,
    created_at: now,
    settled_at: null,
  });
  if (row === undefined) return null;
  if (input.payload.kind === "command") {
    // Commands have a lane of their own per session: they never wait for a turn, and are carried out in order (CM-4).
    enqueue("command", input.sessionKey);
    return row.seq;
  }
  const wakes = input.payload.kind !== "notice" || input.payload.wakes;
  if (state === "waiting" && wakes) enqueue(turnTask(input.sessionKey), input.sessionKey);
  return row.seq;
}
