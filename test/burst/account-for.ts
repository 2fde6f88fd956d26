import { join } from "node:path";
import Database from "better-sqlite3";

/** What became of one message, by what the store says and people can read. */
export type Fate =
  /** The turn that took it has an answer that people can read; `together`: with other messages of its conversation. */
  | { readonly fate: "answered"; readonly turn: string; readonly together: boolean }
  /** It was shortened into the notice that this turn read. */
  | { readonly fate: "merged"; readonly turn: string }
  /** It started nothing; `rule` is why, and people in its conversation were told. */
  | { readonly fate: "refused"; readonly rule: string }
  | { readonly fate: "unaccounted"; readonly why: string };

interface Row {
  readonly identity: string;
  readonly conversation: string;
  readonly result: string;
  readonly rule: string;
  readonly kind: string | null;
  readonly state: string | null;
  readonly turn_id: string | null;
  readonly outcome: string | null;
}

interface Sent {
  readonly key: string;
  readonly conversation: string;
  readonly turn_id: string | null;
  readonly state: string;
  readonly to_id: string;
  readonly message_ids_json: string;
}

/** Every platform message by `<channel>/<conversation>/<message>`, with its fate. `written`: what can be read, per channel. */
export function accountFor(
  folder: string,
  said: readonly string[],
  written: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, Fate> {
  const { events, deliveries } = readStore(folder);
  const byMessage = new Map(events.map((row) => [nameOf(row.identity), row]));
  const read = deliveries.filter((one) => isRead(one, written));
  const answered = new Set(read.flatMap(({ turn_id }) => turn_id ?? []));
  const told = new Set(read.filter(({ turn_id }) => turn_id === null).map(({ conversation }) => conversation));
  const inputs = new Map<string, number>();
  for (const { kind, turn_id } of events)
    if (kind === "event" && turn_id !== null) inputs.set(turn_id, (inputs.get(turn_id) ?? 0) + 1);
  return new Map(said.map((name) => [name, fateOf(byMessage.get(name), { answered, told, inputs })]));
}

interface Known {
  /** Turns with an answer that can be read. */
  readonly answered: ReadonlySet<string>;
  /** Conversations in which a notice can be read. */
  readonly told: ReadonlySet<string>;
  readonly inputs: ReadonlyMap<string, number>;
}

function fateOf(row: Row | undefined, { answered, told, inputs }: Known): Fate {
  if (row === undefined) return { fate: "unaccounted", why: "it was never stored" };
  const { result, rule, kind, state, turn_id: turn, outcome } = row;
  const unaccounted = (why: string): Fate => ({ fate: "unaccounted", why: `${why} (${result}: ${rule}, ${state})` });
  switch (result) {
    case "accepted":
    case "merged":
      if (turn === null || state !== "consumed") return unaccounted("no turn has finished with it");
      if (kind === "notice")
        return answered.has(turn) ? { fate: "merged", turn } : unaccounted("its turn said nothing");
      if (!answered.has(turn)) return unaccounted(`nothing of its turn can be read, which ended ${outcome}`);
      return { fate: "answered", turn, together: (inputs.get(turn) ?? 0) > 1 };
    case "refused":
      if (rule === "") return unaccounted("no reason is stored");
      return told.has(row.conversation) ? { fate: "refused", rule } : unaccounted("nobody was told");
    default:
      return unaccounted("nobody expects that here");
  }
}

/** `<channel>/<bot>/<conversation>/<message>/…` → `<channel>/<conversation>/<message>`. */
function nameOf(identity: string): string {
  const [channel, , conversation, message] = identity.split("/").map(decodeURIComponent);
  return `${channel}/${conversation}/${message}`;
}

function isRead(sent: Sent, written: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (sent.state !== "sent") return false;
  const ids: unknown = JSON.parse(sent.message_ids_json);
  const [channel = ""] = sent.conversation.split("/");
  return Array.isArray(ids) && ids.every((id) => written.get(channel)?.has(`${sent.to_id}/${id}`) === true);
}

function readStore(folder: string): { readonly events: readonly Row[]; readonly deliveries: readonly Sent[] } {
  const database = new Database(join(folder, "data/switchyard.db"), { readonly: true, timeout: 5_000 });
  try {
    return {
      events: database
        .prepare<[], Row>(
          `select e.identity, e.conversation, e.result, e.rule, i.kind, i.state, i.turn_id, t.outcome from inbound_events e
           left join inbox i on i.seq = e.inbox_seq left join turns t on t.id = i.turn_id`,
        )
        .all(),
      deliveries: database
        .prepare<[], Sent>(
          `select key, conversation, turn_id, state, message_ids_json, json_extract(route_json, '$.to') as to_id from deliveries`,
        )
        .all(),
    };
  } finally {
    database.close();
  }
}
