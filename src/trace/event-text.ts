import { assertNever } from "../core/runtime.ts";
import { EVENT_KINDS, eventTexts as texts, waitTexts } from "../core/texts/trace/events.ts";
import { roughDuration } from "../core/time.ts";
import type { EventTrace, TracedAnswer } from "../store/reads/trace/event.ts";
import type { Waiting } from "../store/reads/trace/inputs.ts";
import { placeText, type Told, timeText, turnText } from "./delivery-text.ts";

/** What happened to an event, in words (IN-17). `now`: milliseconds since the epoch. */
export function tellEvent(trace: EventTrace, now: number): Told {
  const { what, messageId, place, senderId, receivedAt, result, rule, link, sessionKey, input, turn, answers } = trace;
  const answered = turn !== null || input?.kind === "command" ? "answer" : "told by";
  return {
    title: `${EVENT_KINDS[what] ?? what} ${messageId}: ${verdict(trace, now)}`,
    facts: [
      ["became", result],
      ["by", rule],
      ["came from", `${senderId} in ${placeText(place)}, ${timeText(receivedAt)}`],
      ...(link === null || link.startsWith(`${place.channel}:`) ? [] : ([["link", link]] as const)),
      ...(sessionKey === null ? [] : ([["session", sessionKey]] as const)),
      ...(input === null ? [] : ([["input", `${input.seq}, ${input.state}`]] as const)),
      ...(turn === null ? [] : ([["turn", turnText(turn)]] as const)),
      ...answers.map((answer) => [answered, answerText(answer)] as const),
      ...subagentFacts(trace),
      ...(trace.chain === null || trace.chain.turns === 0 ? [] : ([["set off", texts.setOff(trace.chain)]] as const)),
    ],
    history: [],
  };
}

function subagentFacts({ subagents }: EventTrace): Told["facts"] {
  return subagents.flatMap(({ run, answers }) => {
    const state = run.state === "ended" ? (run.outcome ?? "ended") : run.state;
    const name = run.label === null ? "" : ` (${run.label})`;
    return [
      ["sub-agent", `run ${run.id}${name}: ${state}, ${run.session}`] as const,
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
      return texts.refused;
    case "ignored":
      return texts.ignored;
    case "kept":
      return trace.context === "waiting" ? texts.contextWaiting : texts.contextUsed;
    case "stale":
      return texts.stale;
    case "parked":
      return texts.parked;
    case "held":
      return texts.held;
    default:
      if (input === null) return texts.expiredInput(result);
      return inputVerdict(trace, now);
  }
}

function inputVerdict(trace: EventTrace, now: number): string {
  const { input, waits, turn, withdrawnBy, isSteered, together } = trace;
  if (trace.rule.startsWith("messages.queue.cap")) return leftQueue(trace);
  if (waits !== null) return texts.waiting(waitingText(waits, now));
  if (input?.state === "withdrawn") return withdrawnBy === null ? texts.withdrawn : texts.withdrawnBy(withdrawnBy);
  if (input?.command != null) return texts.ranAs(input.command, answeredText(trace));
  if (turn === null) return texts.expiredTurn;
  const result = turn.endedAt === null ? texts.working : endText(trace);
  return texts.tookPart({ isSteered, others: together, result });
}

/** TN-3: the rule says whether it was dropped or shortened into a notice. */
function leftQueue({ input, turn }: EventTrace): string {
  if (input?.kind !== "notice") return texts.leftQueue;
  return turn === null ? texts.leftQueueWaiting : texts.leftQueueTold;
}

function endText(trace: EventTrace): string {
  const { turn, answers } = trace;
  const outcome = turn?.outcome ?? null;
  if (answers.length > 0) return answeredText(trace);
  switch (outcome) {
    case "silent":
      return texts.silent;
    case "yielded":
      return texts.yielded;
    case "reply":
      return turn?.source.route == null ? texts.noConversation : texts.expiredReply;
    case "error":
    case "timeout":
    case "aborted":
    case "interrupted":
    case null:
      return texts.turnEnded(outcome ?? "unknown");
    default:
      return assertNever(outcome);
  }
}

function answeredText({ answers }: EventTrace): string {
  const count = (...states: readonly string[]): number => answers.filter(({ state }) => states.includes(state)).length;
  if (answers.length === 0) return texts.unanswered;
  const lost = count("failed", "unconfirmed");
  const open = count("pending", "sending");
  const sent = count("sent");
  if (lost > 0) return texts.partsLost(lost, answers.length);
  if (open > 0) return sent === 0 ? texts.sending : texts.partsSent(sent, answers.length);
  return sent === 0 ? texts.replyWithdrawn : texts.answered;
}

export function waitingText(waits: Waiting, now: number): string {
  switch (waits.for) {
    case "files":
      return waitTexts.files(waits.count);
    case "more":
      return waits.until > now ? waitTexts.more(timeText(waits.until)) : waitTexts.release;
    case "place":
      return waitTexts.thread;
    case "turn":
      return waitTexts.turn({ id: waits.turnId, runsFor: roughDuration(now - waits.since), ahead: waits.ahead });
    case "command":
      return waitTexts.command(waits.name);
    case "slot":
      return waitTexts.slot(waits.ahead);
    default:
      return assertNever(waits);
  }
}
