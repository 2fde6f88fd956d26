import { textOf } from "../../../src/core/message/transcript.ts";
import { grouped, type Invariant, type Stored, type StoredInput } from "../stored.ts";

const MARK = /\bm\d+\./g;

/** What waits for a turn that something else begins, and keeps nobody waiting. */
export function isQuiet({ payload, state }: StoredInput): boolean {
  return payload.kind === "notice" && !payload.wakes && state === "waiting";
}

function nameOf({ seq, kind, key, session_key: session }: StoredInput): string {
  return `input ${seq} (${kind} ${key}) of ${session}`;
}

export const inputInvariants: readonly Invariant[] = [
  {
    name: "every accepted input is consumed or withdrawn",
    broken: ({ inbox }) =>
      inbox
        .filter((item) => !isQuiet(item))
        .filter((item) => item.settled_at === null || (item.state !== "consumed" && item.state !== "withdrawn"))
        .map((item) => `${nameOf(item)} is ${item.state}, settled at ${item.settled_at}`),
  },
  {
    name: "every message a person wrote is one input",
    broken: ({ inbox, marks }) => {
      const found = counted(
        inbox.flatMap(({ payload }) => (payload.kind === "event" ? (payload.text.match(MARK) ?? []) : [])),
      );
      return marks.filter((mark) => found.get(mark) !== 1).map((mark) => `${mark} is ${found.get(mark) ?? 0} inputs`);
    },
  },
  {
    name: "every consumed message is read once, every withdrawn one at most once",
    broken: (stored) => {
      const read = readMarks(stored);
      return stored.inbox.flatMap((item) => {
        if (item.payload.kind !== "event") return [];
        return (item.payload.text.match(MARK) ?? []).flatMap((mark) => {
          const times = read.get(mark) ?? 0;
          const right = item.state === "consumed" ? times === 1 : times <= 1;
          return right ? [] : [`${nameOf(item)} is ${item.state} and stands ${times} times in the transcripts`];
        });
      });
    },
  },
  {
    name: "every consumed input belongs to one ended turn of its session",
    broken: ({ inbox, turns }) => {
      const byId = new Map(turns.map((turn) => [turn.id, turn]));
      return inbox.flatMap((item) => {
        if (item.state !== "consumed" || item.kind === "command") return [];
        const turn = item.turn_id === null ? undefined : byId.get(item.turn_id);
        if (turn === undefined) return [`${nameOf(item)} is consumed without a turn`];
        if (turn.session_key !== item.session_key) return [`${nameOf(item)} was taken by ${turn.session_key}`];
        return turn.ended_at === null ? [`${nameOf(item)} is consumed, its turn ${turn.id} is open`] : [];
      });
    },
  },
];

function readMarks({ messages }: Stored): ReadonlyMap<string, number> {
  return counted(
    messages.flatMap((message) =>
      message.provenance.kind === "human" ? (textOf(message.parts).match(MARK) ?? []) : [],
    ),
  );
}

export function counted(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...grouped(values, (value) => value)].map(([value, same]) => [value, same.length]));
}
