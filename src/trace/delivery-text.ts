import type { DeliveryAct, DeliveryContent } from "../core/delivery/delivery.ts";
import type { Route } from "../core/delivery/route.ts";
import { assertNever } from "../core/runtime.ts";
import { roughDuration } from "../core/time.ts";
import type { DeliveryTrace, TracedPiece } from "../store/reads/trace/delivery.ts";
import type { TracedInput, TracedTurn } from "../store/reads/trace/inputs.ts";
import { routeRule } from "./route-rule.ts";

/** What is told of one message: a headline, facts with their names, and what happened when. No message text is in it. */
export interface Told {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly history: readonly (readonly [at: number, what: string])[];
}

/** The history of a delivery in words (DL-16). `now`: milliseconds since the epoch. */
export function tellDelivery(trace: DeliveryTrace, now: number): Told {
  const { delivery } = trace;
  const { id, state, messageIds, reason, sessionKey, route, key } = delivery;
  return {
    title: `Delivery ${id}: ${state}${messageIds.length === 0 ? "" : ` as message ${messageIds.join(", ")}`}`,
    facts: [
      ["what", whatText(trace)],
      ...answersFacts(trace),
      ...(sessionKey === null ? [] : ([["session", sessionKey]] as const)),
      ["goes to", placeText(route)],
      ["because", routeRule(trace)],
      ...(trace.pieces.length > 1 ? ([["with it", trace.pieces.map(pieceText).join("; ")]] as const) : []),
      ...(reason === null || state === "pending" ? [] : ([["reason", reason]] as const)),
      ...nextFact(trace, now),
      ["key", key],
    ],
    history: historyOf(trace),
  };
}

function nextFact({ delivery, isPreview }: DeliveryTrace, now: number): Told["facts"] {
  const { state, nextAt, reason, id } = delivery;
  switch (state) {
    case "pending": {
      const when = nextAt > now ? `its next try is due in ${roughDuration(nextAt - now)}` : "it is due now";
      return [["waits", `${when}${reason === null ? "" : `, after: ${reason}`}`]];
    }
    case "sending":
      return [["waits", "the platform has not answered yet"]];
    case "failed":
    case "unconfirmed":
      return isPreview ? [] : [["do", `switchyard deliveries retry ${id}, or dismiss ${id}`]];
    case "sent":
    case "withdrawn":
      return [];
    default:
      return assertNever(state);
  }
}

function whatText({ delivery, isPreview }: DeliveryTrace): string {
  const { content } = delivery;
  if (isPreview) return "the preview of an answer that is not complete";
  return contentKind(content);
}

function contentKind(content: DeliveryContent): string {
  switch (content.kind) {
    case "message": {
      const native = content.interaction === undefined ? "" : ", in place of a native command's waiting line";
      return `a message${content.private ? " for the asker alone" : ""}${native}`;
    }
    case "file":
      return `a file, ${content.file.name} (${content.file.bytes} bytes)`;
    case "delete":
      return "takes a message back";
    case "thread":
      return `makes the thread "${content.title}"`;
    default:
      return assertNever(content);
  }
}

function answersFacts({ origin }: DeliveryTrace): Told["facts"] {
  switch (origin.by) {
    case "turn":
      return [
        ...origin.inputs.map((input) => ["answers", inputText(input)] as const),
        ["turn", turnText(origin.turn)],
        ...origin.told.map(
          ({ id, label, session }) =>
            ["result of", `run ${id}${label === null ? "" : ` (${label})`}, ${session}`] as const,
        ),
      ];
    case "command":
      return [["answers", origin.input === null ? "a command that is no longer stored" : inputText(origin.input)]];
    case "thread":
      return origin.run === null
        ? []
        : [["run", `${origin.run.id}${origin.run.label === null ? "" : ` (${origin.run.label})`}`]];
    case "message tool":
    case "refusal":
    case "full queue":
    case "turn failure":
    case "other":
      return [["answers", `nothing: ${origin.by}`]];
    default:
      return assertNever(origin);
  }
}

/** `/status of telegram 111, https://…, received …; direct conversation; default agent`. */
export function inputText({ kind, command, from, link, rule, receivedAt }: TracedInput): string {
  const what = command === null ? INPUT_WORDS[kind] : `/${command}`;
  const parts = [`${what} of ${from}`, link, `received ${timeText(receivedAt)}`].filter((part) => part !== null);
  return `${parts.join(", ")}${rule === null ? "" : `; let in by: ${rule}`}`;
}

const INPUT_WORDS: Readonly<Record<TracedInput["kind"], string>> = {
  event: "a message",
  command: "a command",
  task: "a task",
  steer: "guidance",
  inter_session: "a message between sessions",
  completion: "a helper's result",
  notice: "a notice",
};

export function turnText({ id, startedAt, endedAt, outcome, begins }: TracedTurn): string {
  const took = endedAt === null ? "still running" : `ended ${timeText(endedAt)}: ${outcome ?? "unknown"}`;
  return `${id}, began ${timeText(startedAt)}, ${took}${begins > 1 ? `, begun ${begins} times` : ""}`;
}

function pieceText({ id, kind, state, messageIds }: TracedPiece): string {
  return `${id} ${kind === "message" ? "" : `${kind} `}${state}${messageIds.length === 0 ? "" : ` as ${messageIds.join(", ")}`}`;
}

function historyOf({ delivery, acts, origin, isPreview }: DeliveryTrace): Told["history"] {
  const written = [delivery.createdAt, "written to the outbox"] as const;
  const endedAt = origin.by === "turn" ? origin.turn.endedAt : null;
  // A preview's row takes the whole answer when its turn ends (TN-11).
  const whole =
    delivery.revision > 1 && !isPreview && endedAt !== null
      ? [[endedAt, "the turn ended: it is to show the whole answer"] as const]
      : [];
  let tries = 0;
  const told = acts.map((act) => {
    if (act.startedAt !== null) tries += 1 + act.folded;
    return [act.at, actText(act, tries)] as const;
  });
  return [written, ...told, ...whole].toSorted(([a], [b]) => a - b);
}

function actText(act: DeliveryAct, nth: number): string {
  const { startedAt, at, reason, messageIds, readBack, what, folded } = act;
  if (act.act === "retried") return "the operator sends it again";
  if (act.act === "dismissed") return "the operator gives it up";
  const took = startedAt === null ? "" : ` after ${Math.max(0, at - startedAt)} ms`;
  const shown = messageIds.length === 0 ? "" : ` as message ${messageIds.join(", ")}`;
  return [
    `try ${nth}${what === "preview" ? " (preview)" : ""}: ${ACT_WORDS[act.act]}${shown}${took}`,
    ...(reason === null ? [] : [reason]),
    ...(readBack === null ? [] : [`looked on the platform for an earlier try: ${readBack}`]),
    ...(folded === 0 ? [] : [`${folded} more tries before it`]),
  ].join("; ");
}

const ACT_WORDS = {
  sent: "sent",
  waits: "not sent, tried again",
  failed: "failed for good",
  unconfirmed: "may have arrived",
  withdrawn: "withdrawn",
} as const;

export function placeText({ channel, accountId, to, threadId }: Route): string {
  return `${channel}/${accountId} ${to}${threadId === null ? "" : ` thread ${threadId}`}`;
}

/** In UTC, to the millisecond. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "");
}
