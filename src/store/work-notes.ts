import type { Transaction } from "kysely";
import type { TaskName } from "../work/work-queue.ts";
import type { Schema } from "./schema.ts";

export type WorkListener = (task: TaskName, key: string, at: number | undefined) => void;

export interface WorkNotes {
  enqueue(task: TaskName, key: string, at?: number): void;
  /** Writes the timers inside the step's transaction; a later note for the same task and key replaces the time. */
  keep(): Promise<void>;
  /** Tells the listener, after the commit. */
  tell(listener: WorkListener): void;
}

/** Tasks whose time is nowhere else (SB-4): a turn is found from the inbox, a send from the outbox's own `next_at`. */
const KEPT: readonly TaskName[] = ["run-timeout", "archive", "binding-expiry", "admit-held", "release", "maintenance"];

/** Collects what a step makes due. Work due now needs no row: it is found again from the inbox and the outbox. */
export function createWorkNotes(db: Transaction<Schema>, now: number): WorkNotes {
  const notes: { task: TaskName; key: string; at: number | undefined }[] = [];
  return {
    enqueue: (task, key, at) => void notes.push({ task, key, at: at !== undefined && at > now ? at : undefined }),
    keep: async () => {
      for (const { task, key, at } of notes) {
        if (at === undefined || !KEPT.includes(task)) continue;
        await db
          .insertInto("timers")
          .values({ task, key, due_at: at })
          .onConflict((conflict) => conflict.columns(["task", "key"]).doUpdateSet({ due_at: at }))
          .execute();
      }
    },
    tell: (listener) => {
      for (const { task, key, at } of notes) listener(task, key, at);
    },
  };
}
