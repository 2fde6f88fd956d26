import { assertNever } from "../core/runtime.ts";
import { roughDuration } from "../core/time.ts";
import type { EventTrace, TracedAnswer } from "../store/reads/trace/event.ts";
import type { Waiting } from "../store/reads/trace/inputs.ts";
import { placeText, type Told, timeText, turnText } from "./delivery-text.ts";

/** What became of an event, in words (IN-17). `now`: milliseconds since the epoch. */
export function tellEvent(trace: EventTrace, now: number): Told {
  const { what, messageId, place, senderId, receivedAt, result, rule, link, sessionKey, input, turn, answers } = trace;
  const answered = turn !== null || input?.kind === "command" ? "answer" : "told by";
  return {
    title: `${WHAT[what] ?? what} ${messageId}: ${verdict(trace, now)}`,
    facts: [
      ["became", result],
      ["by", rule],
      ["came from", `${senderId} in ${placeText(place)}, ${timeText(receivedAt)}`],
      ...(link === null || link.startsWith(`${place.channel}:`) ? [] : ([["link", link]] as const)),
      ...(sessionKey === null ? [] : ([["session", sessionKey]] as const)),
      ...(input === null ? [] : ([["input", `${input.seq}, ${input.state}`]] as const)),
      ...(turn === null ? [] : ([["turn", turnText(turn)]] as const)),
      ...answers.map((answer) => [answered, answerText(answer)] as const),
      ...helperFacts(trace),
    ],
    history: [],
  };
}

const WHAT: Readonly<Record<string, string>> = {
  message: "Message",
  command: "Command",
  edit: "Edit of message",
  delete: "Deletion of message",
  reaction: "Reaction to message",
  thread_changed: "Change of a thread",
};

function helperFacts({ helpers }: EventTrace): Told["facts"] {
  return helpers.flatMap(({ run, answers }) => {
    const state = run.state === "ended" ? (run.outcome ?? "ended") : run.state;
    const name = run.label === null ? "" : ` (${run.label})`;
    return [
      ["helper", `run ${run.id}${name}: ${state}, ${run.session}`] as const,
      ...answers.map((answer) => ["its result", answerText(answer)] as const),
    ];
  });
}

function answerText({ id, state, messageIds, route, attempts, reason }: TracedAnswer): string {
  const shown = messageIds.length === 0 ? "" : ` as message ${messageIds.join(", ")}`;
  const tries = attempts > 1 ? `, ${attempts} tries` : "";
  return `delivery ${id}: ${state}${shown} in ${placeText(route)}${tries}${reason === null ? "" : `; ${reason}`}`;
}

/** One sentence. */
function verdict(trace: EventTrace, now: number): string {
  const { result, input } = trace;
  switch (result) {
    case "refused":
      return "refused, nothing was started";
    case "ignored":
      return "it starts nothing";
    case "kept":
      return trace.context === "waiting"
        ? "not addressed to the bot; it is shown with the next message that is"
        : "not addressed to the bot; it was shown with a later message, or newer ones took its place";
    case "stale":
      return "it came too late to be answered (catchUp.maxAge)";
    case "parked":
      return "it failed three times and was set aside";
    case "held":
      return "it waits until the thread it is in is known";
    default:
      if (input === null) return `${result}; its input is no longer stored`;
      return inputVerdict(trace, now);
  }
}

function inputVerdict(trace: EventTrace, now: number): string {
  const { input, waits, turn, withdrawnBy, isSteered, together } = trace;
  if (trace.rule.startsWith("messages.queue.cap")) return leftQueue(trace);
  if (waits !== null) return `it waits for ${waitingText(waits, now)}`;
  if (input?.state === "withdrawn")
    return `taken back before a turn had it${withdrawnBy === null ? "" : ` by /${withdrawnBy}`}`;
  if (input?.command != null) return `carried out as /${input.command}; ${answeredText(trace)}`;
  if (turn === null) return "taken by a turn that is no longer stored";
  const how = isSteered ? "shown to the turn that was running" : "taken by a turn";
  const others = together > 0 ? ` together with ${together} other input${together === 1 ? "" : "s"}` : "";
  return `${how}${others}; ${turn.endedAt === null ? "it is being worked on" : endText(trace)}`;
}

/** TN-3: the rule says whether it was dropped or shortened into a notice. */
function leftQueue({ input, turn }: EventTrace): string {
  if (input?.kind !== "notice") return "it left a queue that was full";
  return `it left a queue that was full; ${turn === null ? "the notice of it waits for the next turn" : "a turn was told of it in a notice"}`;
}

function endText(trace: EventTrace): string {
  const { turn, answers } = trace;
  const outcome = turn?.outcome ?? null;
  if (answers.length > 0) return answeredText(trace);
  switch (outcome) {
    case "silent":
      return "the agent chose to say nothing";
    case "yielded":
      return "the agent waits for its helpers";
    case "reply":
      return turn?.source.route == null ? "its answer goes to no conversation" : "its answer is no longer stored";
    case "error":
    case "timeout":
    case "aborted":
    case "interrupted":
    case null:
      return `the turn ended: ${outcome ?? "unknown"}`;
    default:
      return assertNever(outcome);
  }
}

function answeredText({ answers }: EventTrace): string {
  const count = (...states: readonly string[]): number => answers.filter(({ state }) => states.includes(state)).length;
  if (answers.length === 0) return "nothing was answered";
  const lost = count("failed", "unconfirmed");
  const open = count("pending", "sending");
  const sent = count("sent");
  if (lost > 0) return `${lost} of ${answers.length} messages of the answer did not get through`;
  if (open > 0)
    return sent === 0 ? "its answer is on its way" : `${sent} of ${answers.length} messages of the answer are sent`;
  return sent === 0 ? "its answer was taken back" : "answered";
}

export function waitingText(waits: Waiting, now: number): string {
  switch (waits.for) {
    case "files":
      return `${waits.count} file${waits.count === 1 ? "" : "s"} to be fetched`;
    case "more":
      return waits.until > now ? `more of it, until ${timeText(waits.until)}` : "its turn to be released";
    case "place":
      return "the thread it belongs to, which is being made";
    case "turn":
      return `turn ${waits.turnId} of its session, which has run for ${roughDuration(now - waits.since)}${aheadText(waits.ahead)}`;
    case "command":
      return `/${waits.name}, which was given before it`;
    case "slot":
      return `a free place among the running turns${aheadText(waits.ahead)}`;
    default:
      return assertNever(waits);
  }
}

function aheadText(ahead: number): string {
  return ahead === 0 ? "" : `; ${ahead} input${ahead === 1 ? " stands" : "s stand"} before it`;
}
