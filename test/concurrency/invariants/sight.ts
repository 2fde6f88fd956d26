import type { JsonObject } from "../../../src/core/json.ts";
import { isBelow, maySee } from "../policy.ts";
import type { Invariant, Stored } from "../stored.ts";

interface ToolAnswer {
  readonly viewer: string;
  readonly seq: number;
  readonly tool: string;
  readonly result: JsonObject;
}

/** What the result of a tool shows of other sessions: their keys. */
function shownKeys({ viewer, tool, result }: ToolAnswer): readonly string[] {
  switch (tool) {
    case "sessions_list":
      return rowsOf(result.sessions).flatMap((row) => {
        // A session knows who spawned it: its prompt says so.
        const parent = row.key === viewer ? null : row.spawnedBy;
        return [row.key, parent, ...listOf(row.childSessions)].flatMap(key);
      });
    case "sessions_history":
    case "session_status":
    case "sessions_send":
      return key(result.sessionKey);
    case "sessions_search":
      return rowsOf(result.results).flatMap((row) => key(row.sessionKey));
    default:
      return [];
  }
}

export const sightInvariants: readonly Invariant[] = [
  {
    name: "list, history, search, status and send show only sessions the policy allows",
    broken: (stored) =>
      toolAnswers(stored).flatMap((answer) =>
        shownKeys(answer)
          .filter((target) => !maySee(answer.viewer, target, stored.parents))
          .map((target) => `message ${answer.seq}: ${answer.tool} showed ${answer.viewer} the session ${target}`),
      ),
  },
  {
    name: "subagents shows and controls only the caller's own tree",
    broken: (stored) =>
      toolAnswers(stored)
        .filter(({ tool }) => tool === "subagents")
        .flatMap((answer) =>
          controlled(answer, stored)
            .filter((target) => !isBelow(answer.viewer, target, stored.parents))
            .map((target) => `message ${answer.seq}: subagents gave ${answer.viewer} the session ${target}`),
        ),
  },
  {
    name: "an exchange is between sessions of which the sender may see the other",
    broken: ({ exchanges, parents }) =>
      exchanges
        .filter((exchange) => !maySee(exchange.from_key, exchange.to_key, parents))
        .map((exchange) => `exchange ${exchange.run_id} went from ${exchange.from_key} to ${exchange.to_key}`),
  },
];

function controlled({ result }: ToolAnswer, { spawned }: Stored): readonly string[] {
  const ids = [
    ...rowsOf(result.runs).flatMap((row) => key(row.runId)),
    ...listOf(result.killed).flatMap(key),
    ...key(result.runId),
  ];
  return ids.map((id) => spawned.find((run) => run.id === id)?.session_key ?? `of the unknown run ${id}`);
}

function toolAnswers({ messages }: Stored): readonly ToolAnswer[] {
  return messages.flatMap(({ parts, seq, session_key: viewer }) =>
    parts.flatMap((part) =>
      part.type === "tool_result" ? [{ viewer, seq, tool: part.name, result: part.result as JsonObject }] : [],
    ),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function rowsOf(value: unknown): readonly { readonly [name: string]: unknown }[] {
  return listOf(value).filter((row) => typeof row === "object" && row !== null) as {
    readonly [name: string]: unknown;
  }[];
}

function key(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}
