import { turnTask } from "../../../core/message/turn-inputs.ts";
import { asSessionKey } from "../../../core/session/session-key.ts";
import type { TaskName } from "../../../work/work-queue.ts";
import { defineRead } from "../../store.ts";
import { startsTurns } from "../inbound/inbox.ts";

export interface OpenWork {
  readonly task: TaskName;
  readonly key: string;
  readonly at: number | undefined;
}

/**
 * Everything that waits for this process, found from the rows: sessions with waiting inputs or an open turn, commands not
 * carried out, timers. The outbox is looked at by the pump. A start enqueues it all and so goes on where the last one was.
 */
export const openWork = defineRead("open-work", async (db): Promise<readonly OpenWork[]> => {
  const waiting = await db
    .selectFrom("inbox")
    .select("session_key")
    .distinct()
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .where((eb) => startsTurns(eb))
    .execute();
  const open = await db.selectFrom("turns").select("session_key").where("ended_at", "is", null).execute();
  const commands = await db
    .selectFrom("inbox")
    .select("session_key")
    .distinct()
    .where("kind", "=", "command")
    .where("settled_at", "is", null)
    .where("state", "=", "waiting")
    .execute();
  const held = await db
    .selectFrom("inbox")
    .select("key")
    .where("kind", "=", "event")
    .where("settled_at", "is", null)
    .where("state", "=", "held")
    .execute();
  const timers = await db.selectFrom("timers").selectAll().execute();
  const sessions = new Set([...waiting, ...open].map((row) => row.session_key));
  return [
    ...[...sessions].flatMap((key) => {
      const sessionKey = asSessionKey(key);
      return sessionKey === null ? [] : [{ task: turnTask(sessionKey), key, at: undefined }];
    }),
    ...commands.map((row) => ({ task: "command" as const, key: row.session_key, at: undefined })),
    ...held.map(({ key }) => ({ task: "release" as const, key, at: undefined })),
    ...timers.map((row) => ({ task: row.task as TaskName, key: row.key, at: row.due_at })),
  ];
});

/**
 * When the oldest input that still waits arrived (OP-8); null: none waits. A message whose files are still being fetched
 * waits too; a notice does not, since no one expects an answer to it.
 */
export const oldestWaitingInput = defineRead("oldest-waiting-input", async (db): Promise<number | null> => {
  const oldest = async (state: "waiting" | "held"): Promise<number | null> => {
    const row = await db
      .selectFrom("inbox")
      .select("created_at")
      .where("settled_at", "is", null)
      .where("state", "=", state)
      .where("kind", state === "held" ? "=" : "<>", state === "held" ? "event" : "notice")
      .orderBy("seq")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : Number(row.created_at);
  };
  const found = [await oldest("waiting"), await oldest("held")].filter((at) => at !== null);
  return found.length === 0 ? null : Math.min(...found);
});
