import { join } from "node:path";
import Database from "better-sqlite3";
import type { Selectable } from "kysely";
import type { InboxPayload } from "../../src/core/message/inbox-item.ts";
import type { MessagePart, Provenance } from "../../src/core/message/transcript.ts";
import type { DeliveriesTable } from "../../src/store/tables/outside.ts";
import type { MessagesTable, SessionsTable, StateEventsTable } from "../../src/store/tables/sessions.ts";
import type {
  CompletionsTable,
  ExchangesTable,
  InboxTable,
  RunsTable,
  TimersTable,
  TurnsTable,
} from "../../src/store/tables/work.ts";

export interface StoredMessage {
  readonly seq: number;
  readonly session_id: string;
  readonly session_key: string;
  readonly turn_id: string | null;
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly provenance: Provenance;
}

export type StoredInput = Omit<Selectable<InboxTable>, "payload_json"> & { readonly payload: InboxPayload };

/** Everything the invariants look at, read at once after the last process has ended. */
export interface Stored {
  readonly now: number;
  readonly sessions: ReadonlyMap<string, SessionsTable>;
  readonly inbox: readonly StoredInput[];
  readonly turns: readonly TurnsTable[];
  /** Only spawned runs. */
  readonly spawned: readonly RunsTable[];
  readonly runs: readonly RunsTable[];
  readonly completions: ReadonlyMap<string, CompletionsTable>;
  readonly exchanges: readonly ExchangesTable[];
  readonly messages: readonly StoredMessage[];
  readonly deliveries: readonly Selectable<DeliveriesTable>[];
  readonly events: readonly Selectable<StateEventsTable>[];
  readonly timers: readonly TimersTable[];
  readonly heldEvents: number;
  /** From a spawned session to its spawner, of sessions that are gone too. */
  readonly parents: ReadonlyMap<string, string>;
  /** Who wrote the messages: marks of people's words that were no commands. */
  readonly marks: readonly string[];
}

export function readStored(folder: string, marks: readonly string[]): Stored {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    const all = <T>(sql: string): T[] => database.prepare(sql).all() as T[];
    const runs = all<RunsTable>("select * from runs order by created_at, id");
    const spawned = runs.filter((run) => run.kind === "spawn");
    return {
      now: Date.now(),
      sessions: new Map(all<SessionsTable>("select * from sessions").map((row) => [row.key, row])),
      inbox: all<Selectable<InboxTable>>("select * from inbox order by seq").map(({ payload_json, ...row }) => ({
        ...row,
        payload: JSON.parse(payload_json) as InboxPayload,
      })),
      turns: all<TurnsTable>("select * from turns order by started_at, rowid"),
      runs,
      spawned,
      completions: new Map(all<CompletionsTable>("select * from completions").map((row) => [row.run_id, row])),
      exchanges: all<ExchangesTable>("select * from exchanges"),
      messages: all<Selectable<MessagesTable>>("select * from messages order by seq").map(
        ({ parts_json, provenance_json, ...row }) => ({
          ...row,
          parts: JSON.parse(parts_json) as MessagePart[],
          provenance: JSON.parse(provenance_json) as Provenance,
        }),
      ),
      deliveries: all<Selectable<DeliveriesTable>>("select * from deliveries order by id"),
      events: all<Selectable<StateEventsTable>>("select * from state_events order by sequence"),
      timers: all<TimersTable>("select * from timers"),
      heldEvents: Number(database.prepare("select count(*) from held_events").pluck().get()),
      parents: new Map(spawned.map((run) => [run.session_key, run.wake_key])),
      marks,
    };
  } finally {
    database.close();
  }
}

/** What must hold of a drained store; one line for every row that breaks it. */
export interface Invariant {
  readonly name: string;
  readonly broken: (stored: Stored) => readonly string[];
}

/** Rows by a property of theirs. */
export function grouped<T>(rows: readonly T[], by: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(rows, by);
}
