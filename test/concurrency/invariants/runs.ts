import { LIMITS } from "../policy.ts";
import { grouped, type Invariant, type Stored } from "../stored.ts";
import { counted } from "./inputs.ts";

export const runInvariants: readonly Invariant[] = [
  {
    name: "every run has ended, once",
    broken: ({ runs }) =>
      runs
        .filter((run) => run.ended_at === null || run.state !== "ended" || run.outcome === null)
        .map((run) => `run ${run.id} (${run.kind}) of ${run.session_key} is ${run.state}, outcome ${run.outcome}`),
  },
  {
    name: "every ended run made exactly one completion and told its requester's log once",
    broken: ({ spawned, completions, events, sessions }) => {
      const told = counted(
        events.flatMap(({ kind, run_id: run }) =>
          (kind === "run_completed" || kind === "run_failed") && run !== null ? [run] : [],
        ),
      );
      const ids = new Set(spawned.map((run) => run.id));
      const extra = [...completions.keys()].filter((id) => !ids.has(id)).map((id) => `completion ${id} has no run`);
      const missing = spawned.flatMap((run) => {
        const completion = completions.get(run.id);
        if (completion === undefined) return [`run ${run.id} of ${run.session_key} has no completion`];
        // A log goes with its session (`cleanup: "delete"`).
        const wanted = sessions.has(completion.requester) ? 1 : 0;
        const times = told.get(run.id) ?? 0;
        return times === wanted
          ? []
          : [`the end of run ${run.id} stands ${times} times in ${completion.requester}'s log`];
      });
      return [...extra, ...missing];
    },
  },
  {
    name: "every completion is settled, and none is delivered twice",
    broken: (stored) => {
      const inputs = grouped(
        stored.inbox.flatMap((item) =>
          item.payload.kind === "completion" ? item.payload.runIds.map((runId) => ({ runId, item })) : [],
        ),
        ({ runId }) => runId,
      );
      const read = completionsRead(stored);
      return [...stored.completions.values()].flatMap((completion) => {
        const { run_id: id, state, requester } = completion;
        if (completion.settled_at === null || state === "owed")
          return [`completion ${id} for ${requester} is ${state}`];
        if (!stored.sessions.has(requester)) return [];
        const items = inputs.get(id) ?? [];
        if (items.length > 1) return [`completion ${id} became ${items.length} inputs of ${requester}`];
        const times = read.get(id) ?? 0;
        if (times > 1) return [`completion ${id} stands ${times} times in the transcripts of ${requester}`];
        return state === "delivered" && times !== 1
          ? [`completion ${id} is delivered, ${requester} never read it`]
          : [];
      });
    },
  },
  {
    name: "every accepted spawn is one run, and every run one accepted spawn",
    broken: ({ messages, spawned, sessions }) => {
      const accepted = counted(
        messages.flatMap(({ parts }) =>
          parts.flatMap((part) => {
            if (part.type !== "tool_result" || part.name !== "sessions_spawn") return [];
            const { status, runId } = part.result as { readonly status?: string; readonly runId?: string };
            return status === "accepted" && runId !== undefined ? [runId] : [];
          }),
        ),
      );
      const ids = new Set(spawned.map((run) => run.id));
      const lost = [...accepted.keys()].filter((id) => !ids.has(id)).map((id) => `accepted run ${id} does not exist`);
      const wrong = spawned.flatMap((run) => {
        const byPerson = run.label === "byhand";
        const times = accepted.get(run.id) ?? 0;
        const right = byPerson || !sessions.has(run.wake_key) ? times <= 1 : times === 1;
        return right ? [] : [`run ${run.id} of ${run.wake_key} was accepted in ${times} tool results`];
      });
      return [...lost, ...wrong];
    },
  },
  {
    name: "no session has more children at once than maxChildrenPerAgent",
    broken: ({ spawned }) =>
      [...grouped(spawned, (run) => run.wake_key)].flatMap(([parent, runs]) => {
        const ends = runs.flatMap((run) => [
          { at: run.created_at, by: 1 },
          { at: run.ended_at ?? Number.MAX_SAFE_INTEGER, by: -1 },
        ]);
        // In the same millisecond an end counts first: only a sure excess is one.
        const most = ends
          .sort((a, b) => a.at - b.at || a.by - b.by)
          .reduce((state, { by }) => ({ now: state.now + by, most: Math.max(state.most, state.now + by) }), {
            now: 0,
            most: 0,
          });
        return most.most > LIMITS.children
          ? [`${parent} had ${most.most} children at once, ${LIMITS.children} may be`]
          : [];
      }),
  },
  {
    name: "no session is deeper than maxSpawnDepth, and each is one deeper than its spawner",
    broken: ({ spawned, parents }) =>
      spawned.flatMap((run) => {
        let depth = 0;
        for (let up: string | undefined = run.session_key; up !== undefined; up = parents.get(up)) depth += 1;
        const real = depth - 1;
        if (run.depth !== real) return [`run ${run.id} says depth ${run.depth}, its lineage ${real}`];
        return real > LIMITS.depth ? [`${run.session_key} is ${real} deep, ${LIMITS.depth} may be`] : [];
      }),
  },
];

function completionsRead({ messages }: Stored): ReadonlyMap<string, number> {
  return counted(messages.flatMap(({ provenance }) => (provenance.kind === "completion" ? [provenance.runId] : [])));
}
