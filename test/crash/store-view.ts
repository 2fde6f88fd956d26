import { join } from "node:path";
import Database from "better-sqlite3";

export interface OpenWork {
  readonly inputs: number;
  readonly turns: number;
  readonly runs: number;
  readonly completions: number;
  readonly deliveries: number;
}

const OPEN: Readonly<Record<keyof OpenWork, string>> = {
  inputs: "select count(*) from inbox where settled_at is null",
  turns: "select count(*) from turns where ended_at is null",
  runs: "select count(*) from runs where ended_at is null",
  completions: "select count(*) from completions where state = 'owed'",
  deliveries: "select count(*) from deliveries where state in ('pending', 'sending')",
};

/** What is still on its way in the store of a program, looked at from beside it. */
export function openWork(folder: string): OpenWork {
  return withStore(folder, (database) => {
    const count = (kind: keyof OpenWork): number => Number(database.prepare(OPEN[kind]).pluck().get());
    return {
      inputs: count("inputs"),
      turns: count("turns"),
      runs: count("runs"),
      completions: count("completions"),
      deliveries: count("deliveries"),
    };
  });
}

/** The same without the notices that wait for a turn of their session and start none. */
export function movingWork(folder: string): OpenWork {
  const quiet = withStore(folder, (database) =>
    Number(
      database
        .prepare("select count(*) from inbox where settled_at is null and kind = 'notice' and state = 'waiting'")
        .pluck()
        .get(),
    ),
  );
  const open = openWork(folder);
  return { ...open, inputs: open.inputs - quiet };
}

/** The rows behind `openWork`, for the text of a failure. */
export function openRows(folder: string): readonly string[] {
  return withStore(folder, (database) => [
    ...database.prepare("select kind, state, key, payload_json from inbox where settled_at is null").all(),
    ...database.prepare("select id, key, state, attempts, reason from deliveries where state <> 'sent'").all(),
  ]).map((row) => JSON.stringify(row));
}

/**
 * The sends that may stand there without the store knowing (DL-3): claimed and not settled, tried before and waiting for the
 * next try, or a preview whose answer has not come yet. Two of them can be on their way at once, one to each conversation.
 */
export function unknownSends(folder: string): number {
  const what = "state = 'sending' or (state = 'pending' and attempts > 0) or (state = 'unconfirmed' and preview = 1)";
  return withStore(folder, (database) =>
    Number(database.prepare(`select count(*) from deliveries where ${what}`).pluck().get()),
  );
}

/** The claimed ones that are tried once and not again: a farewell (TB-6). */
export function sendingOnceNow(folder: string): number {
  const what = "state = 'sending' and content_json like '%\"once\":true%'";
  return withStore(folder, (database) =>
    Number(database.prepare(`select count(*) from deliveries where ${what}`).pluck().get()),
  );
}

/** The session that came last, and the conversation it answers in. */
export function newestSession(folder: string): { readonly session: string; readonly to: string } {
  return withStore(folder, (database) => {
    const what = "select key, last_route_json from sessions order by created_at desc limit 1";
    const row = database.prepare(what).get() as { readonly key: string; readonly last_route_json: string };
    return { session: row.key, to: (JSON.parse(row.last_route_json) as { readonly to: string }).to };
  });
}

/** Talks between sessions that go on: between two turns of one, nothing else of it is on its way. */
export function openExchanges(folder: string): number {
  const what = "select count(*) from exchanges where over_at is null";
  return withStore(folder, (database) => Number(database.prepare(what).pluck().get()));
}

export function turnCount(folder: string): number {
  return withStore(folder, (database) => Number(database.prepare("select count(*) from turns").pluck().get()));
}

/** How the deliveries to a conversation, by its platform id, and to its threads stand: `sent`, `failed`, … */
export function deliveryStates(folder: string, to: string): readonly string[] {
  return withStore(folder, (database) =>
    database
      .prepare("select state from deliveries where route_json like ? order by id")
      .pluck()
      .all(`%"to":"${to}"%`)
      .map(String),
  );
}

/** Completions by state, to see that each was reported once and none failed. */
export function completionStates(folder: string): readonly string[] {
  return withStore(folder, (database) =>
    database.prepare("select state from completions order by run_id").pluck().all().map(String),
  );
}

/** What became of the binding that was made last: its state, and why where it is not active. */
export function newestBinding(folder: string): string {
  return withStore(folder, (database) =>
    String(
      database
        .prepare("select state || coalesce(': ' || reason, '') from bindings order by created_at desc, id desc limit 1")
        .pluck()
        .get(),
    ),
  );
}

/**
 * From now on what people say with this word at its beginning is stored as a newer release may have left it: without what this one needs
 * to read it.
 */
export function spoilWhatBegins(folder: string, word: string): void {
  const database = new Database(join(folder, "data/switchyard.db"), { timeout: 5_000 });
  try {
    database.exec(`create trigger if not exists spoil_${word} after insert on inbox
      when new.kind = 'event' and json_extract(new.payload_json, '$.text') like '${word} %'
      begin update inbox set payload_json = json_set(new.payload_json, '$.text', null) where seq = new.seq; end`);
  } finally {
    database.close();
  }
}

function withStore<T>(folder: string, look: (database: Database.Database) => T): T {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
