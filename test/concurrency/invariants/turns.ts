import { grouped, type Invariant } from "../stored.ts";
import { counted } from "./inputs.ts";

export const turnInvariants: readonly Invariant[] = [
  {
    name: "no session is in two turns at a time",
    broken: ({ turns }) =>
      [...grouped(turns, (turn) => turn.session_key)].flatMap(([session, own]) =>
        own.flatMap((turn, index) => {
          const before = own[index - 1];
          if (before === undefined) return [];
          const end = before.ended_at ?? Number.MAX_SAFE_INTEGER;
          return turn.started_at < end ? [`${session}: turn ${turn.id} began before ${before.id} had ended`] : [];
        }),
      ),
  },
  {
    name: "the messages of a turn stand together in their transcript",
    broken: ({ messages }) =>
      [...grouped(messages, (message) => message.session_id)].flatMap(([life, own]) => {
        const over = new Set<string>();
        let current: string | null = null;
        return own.flatMap(({ turn_id: turn, seq, session_key: session }) => {
          if (turn === null || turn === current) return [];
          if (current !== null) over.add(current);
          current = turn;
          return over.has(turn)
            ? [`message ${seq} of ${session} (life ${life}) goes on with turn ${turn} after a later one`]
            : [];
        });
      }),
  },
  {
    name: "every tool call has exactly one result",
    broken: ({ messages }) =>
      [...grouped(messages, (message) => message.turn_id ?? "")].flatMap(([turn, own]) => {
        const parts = own.flatMap((message) => message.parts);
        const asked = counted(parts.flatMap((part) => (part.type === "tool_call" ? [part.callId] : [])));
        const answered = counted(parts.flatMap((part) => (part.type === "tool_result" ? [part.callId] : [])));
        const session = own[0]?.session_key ?? "";
        return [...new Set([...asked.keys(), ...answered.keys()])].flatMap((id) => {
          const [calls, results] = [asked.get(id) ?? 0, answered.get(id) ?? 0];
          return calls === 1 && results === 1
            ? []
            : [`${session}, turn ${turn}: call ${id} stands ${calls} times with ${results} results`];
        });
      }),
  },
  {
    name: "every turn has ended with an outcome",
    broken: ({ turns }) =>
      turns
        .filter((turn) => turn.ended_at === null || turn.outcome === null)
        .map((turn) => `turn ${turn.id} of ${turn.session_key} is open`),
  },
];
