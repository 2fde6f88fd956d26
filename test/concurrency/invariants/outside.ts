import { LIMITS } from "../policy.ts";
import { grouped, type Invariant } from "../stored.ts";

const SETTLED = ["sent", "withdrawn"];
/** A timer may be looked at a little after its time. */
const LATE_MS = 10_000;

export const outsideInvariants: readonly Invariant[] = [
  {
    name: "every delivery is settled, and a sent one has its receipt",
    broken: ({ deliveries }) =>
      deliveries.flatMap((row) => {
        const what = `delivery ${row.id} (${row.key}) to ${row.conversation}`;
        // Every conversation of a trial takes messages: nothing may fail or stay unknown.
        if (!SETTLED.includes(row.state)) return [`${what} is ${row.state}: ${row.reason}`];
        const kind = (JSON.parse(row.content_json) as { readonly kind: string }).kind;
        const hasReceipt = row.message_ids_json !== "[]" || kind === "delete";
        return row.state === "sent" && !hasReceipt ? [`${what} is sent without a message id`] : [];
      }),
  },
  {
    name: "no two deliveries are the same message",
    broken: ({ deliveries }) => {
      const shown = deliveries.flatMap((row) =>
        (JSON.parse(row.message_ids_json) as string[]).map((id) => ({
          row,
          message: `${row.conversation} message ${id}`,
        })),
      );
      return [...grouped(shown, ({ message }) => message)]
        .filter(([, same]) => same.length > 1)
        .map(
          ([message, same]) => `${message} is the receipt of deliveries ${same.map(({ row }) => row.id).join(", ")}`,
        );
    },
  },
  {
    name: "every exchange is over, within its turns, its reply given once",
    broken: ({ exchanges, inbox }) => {
      const replies = grouped(
        inbox.filter((item) => item.key.startsWith("reply:")),
        (item) => item.key,
      );
      return exchanges.flatMap((exchange) => {
        const what = `exchange ${exchange.run_id} from ${exchange.from_key} to ${exchange.to_key}`;
        const hop = (JSON.parse(exchange.chain_json) as { readonly hop: number }).hop;
        const late = replies.get(`reply:${exchange.run_id}`)?.length ?? 0;
        return [
          ...(exchange.over_at === null || exchange.phase !== "over" ? [`${what} stands at ${exchange.phase}`] : []),
          ...(exchange.state === "waiting" ? [`${what} still waits`] : []),
          ...(exchange.round > Math.min(exchange.rounds, LIMITS.pingPong)
            ? [`${what} had ${exchange.round} reply-back turns of ${exchange.rounds}`]
            : []),
          ...(hop > LIMITS.hops ? [`${what} is hop ${hop} of its chain`] : []),
          ...(late > 0 && exchange.state === "replied" ? [`${what} was replied inline and once more as an input`] : []),
        ];
      });
    },
  },
  {
    name: "state versions rise without holes, and a session's version is its last event",
    broken: ({ events, sessions }) => {
      const own = grouped(events, (event) => event.session_key);
      const holes = [...own].flatMap(([session, log]) =>
        log.flatMap((event, index) => {
          const before = log[index - 1]?.sequence ?? 0;
          return event.previous === before
            ? []
            : [`${session}: event ${event.sequence} follows ${event.previous}, stored is ${before}`];
        }),
      );
      const ends = [...sessions.values()].flatMap(({ key, state_version: version }) => {
        const last = own.get(key)?.at(-1)?.sequence ?? 0;
        return last === version ? [] : [`${key} has version ${version}, its last event is ${last}`];
      });
      const born = [...own].flatMap(([session, log]) =>
        log.filter((event) => event.kind === "created").length === 1 ? [] : [`${session} was not created exactly once`],
      );
      return [...holes, ...ends, ...born];
    },
  },
  {
    name: "no work is left: no session waits for children that have ended, no timer is overdue, nothing is held",
    broken: ({ sessions, timers, spawned, heldEvents, now }) => [
      ...[...sessions.values()].flatMap(({ key, yield_wait: wait }) =>
        wait === "all" && !spawned.some((run) => run.wake_key === key && run.ended_at === null)
          ? [`${key} has yielded and no child of it is open`]
          : [],
      ),
      ...timers
        .filter((timer) => timer.due_at < now - LATE_MS)
        .map((timer) => `timer ${timer.task} of ${timer.key} was due ${now - timer.due_at} ms ago`),
      ...(heldEvents > 0 ? [`${heldEvents} events are held`] : []),
    ],
  },
];
