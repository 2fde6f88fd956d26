import {
  conversationKey,
  type DeliveryAct,
  type DeliveryContent,
  type Route,
  sameRoute,
} from "../core/delivery/delivery.ts";
import { assertNever } from "../core/runtime.ts";
import { INPUT_KINDS, TRY_OUTCOMES, deliveryTexts as texts } from "../core/texts/trace/deliveries.ts";
import { routeTexts } from "../core/texts/trace/routes.ts";
import { roughDuration } from "../core/time.ts";
import type { DeliveryOrigin, DeliveryTrace, TracedPiece } from "../store/reads/trace/delivery.ts";
import type { TracedInput, TracedTurn } from "../store/reads/trace/inputs.ts";

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
    case "pending":
      return [["waits", nextTryText(nextAt - now, reason)]];
    case "sending":
      return [["waits", texts.unanswered]];
    case "failed":
    case "unconfirmed":
      return isPreview ? [] : [["do", texts.toDo(id)]];
    case "sent":
    case "withdrawn":
      return [];
    default:
      return assertNever(state);
  }
}

function nextTryText(inMs: number, reason: string | null): string {
  if (inMs > 0) {
    const duration = roughDuration(inMs);
    return reason === null ? texts.dueIn(duration) : texts.dueInAfter(duration, reason);
  }
  return reason === null ? texts.dueNow : texts.dueNowAfter(reason);
}

function whatText({ delivery, isPreview }: DeliveryTrace): string {
  const { content } = delivery;
  if (isPreview) return texts.preview;
  return contentKind(content);
}

function contentKind(content: DeliveryContent): string {
  switch (content.kind) {
    case "message":
      if (content.interaction === undefined) return content.private ? texts.privateMessage : texts.message;
      return content.private ? texts.privateInteractionReply : texts.interactionReply;
    case "file":
      return texts.file(content.file.name, content.file.bytes);
    case "delete":
      return texts.deletion;
    case "thread":
      return texts.thread(content.title);
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
      return [["answers", origin.input === null ? texts.expiredCommand : inputText(origin.input)]];
    case "thread":
      return origin.run === null
        ? []
        : [["run", `${origin.run.id}${origin.run.label === null ? "" : ` (${origin.run.label})`}`]];
    case "message tool":
    case "refusal":
    case "full queue":
    case "chain limit":
    case "turn failure":
    case "other":
      return [["answers", `nothing: ${origin.by}`]];
    default:
      return assertNever(origin);
  }
}

/** `/status of telegram 111, https://…, received …; direct conversation; default agent`. */
export function inputText({ kind, command, from, link, rule, receivedAt }: TracedInput): string {
  const what = command === null ? INPUT_KINDS[kind] : `/${command}`;
  const parts = [`${what} of ${from}`, link, `received ${timeText(receivedAt)}`].filter((part) => part !== null);
  return rule === null ? parts.join(", ") : texts.byRule(parts.join(", "), rule);
}

export function turnText({ id, startedAt, endedAt, outcome, begins }: TracedTurn): string {
  const took = endedAt === null ? "still running" : `ended ${timeText(endedAt)}: ${outcome ?? "unknown"}`;
  return `${id}, began ${timeText(startedAt)}, ${took}${begins > 1 ? `, begun ${begins} times` : ""}`;
}

function pieceText({ id, kind, state, messageIds }: TracedPiece): string {
  return `${id} ${kind === "message" ? "" : `${kind} `}${state}${messageIds.length === 0 ? "" : ` as ${messageIds.join(", ")}`}`;
}

function historyOf({ delivery, acts, origin, isPreview }: DeliveryTrace): Told["history"] {
  const written = [delivery.createdAt, texts.written] as const;
  const endedAt = origin.by === "turn" ? origin.turn.endedAt : null;
  // A preview's row takes the whole answer when its turn ends (TN-11).
  const whole = delivery.revision > 1 && !isPreview && endedAt !== null ? [[endedAt, texts.turnEnded] as const] : [];
  let tries = 0;
  const told = acts.map((act) => {
    if (act.startedAt !== null) tries += 1 + act.folded;
    return [act.at, actText(act, tries)] as const;
  });
  return [written, ...told, ...whole].toSorted(([a], [b]) => a - b);
}

function actText(act: DeliveryAct, nth: number): string {
  const { startedAt, at, reason, messageIds, readBack, what, folded } = act;
  if (act.act === "retried") return texts.retried;
  if (act.act === "dismissed") return texts.dismissed;
  const took = startedAt === null ? "" : ` after ${Math.max(0, at - startedAt)} ms`;
  const shown = messageIds.length === 0 ? "" : ` as message ${messageIds.join(", ")}`;
  return [
    `try ${nth}${what === "preview" ? " (preview)" : ""}: ${TRY_OUTCOMES[act.act]}${shown}${took}`,
    ...(reason === null ? [] : [reason]),
    ...(readBack === null ? [] : [texts.readBack(readBack)]),
    ...(folded === 0 ? [] : [texts.foldedTries(folded)]),
  ].join("; ");
}

export function placeText({ channel, accountId, to, threadId }: Route): string {
  return `${channel}/${accountId} ${to}${threadId === null ? "" : ` thread ${threadId}`}`;
}

/** In UTC, to the millisecond. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "");
}

/** Why a delivery goes where it goes (DL-16): the rule of TN-15, TB-2 or CP-4 that decided its route, in words. */
function routeRule(trace: DeliveryTrace): string {
  const { origin, delivery } = trace;
  const rule = originRule(origin, trace);
  const source = origin.by === "turn" ? origin.turn.source.route : null;
  if (source === null || sameRoute(source, delivery.route)) return rule;
  // The way out takes the turn's route as it is, so only a changed id of the conversation can lie in between.
  return routeTexts.moved(rule, source.to);
}

function originRule(origin: DeliveryOrigin, trace: DeliveryTrace): string {
  switch (origin.by) {
    case "turn":
      return turnRule(origin, trace);
    case "command":
      return routeTexts.command;
    case "thread":
      return trace.delivery.content.kind === "thread" ? routeTexts.newThread : routeTexts.thread;
    case "message tool":
      return routeTexts.messageTool;
    case "refusal":
      return routeTexts.refusal;
    case "full queue":
      return routeTexts.fullQueue;
    case "chain limit":
      return routeTexts.chainLimit;
    case "turn failure":
      return routeTexts.turnFailure;
    case "other":
      return routeTexts.stored;
    default:
      return assertNever(origin);
  }
}

function turnRule(
  { turn, told }: Extract<DeliveryOrigin, { by: "turn" }>,
  { delivery, isBound }: DeliveryTrace,
): string {
  switch (turn.source.kind) {
    case "event":
      return routeTexts.message(isBound);
    case "task":
    case "steer":
      return routeTexts.subagent(isBound);
    case "completion": {
      if (isBound) return routeTexts.linkedRequester;
      const asked = told.find(
        ({ route }) => route !== null && conversationKey(route) === conversationKey(delivery.route),
      );
      return asked === undefined ? routeTexts.requester : routeTexts.spawn(asked.id);
    }
    case "inter_session":
      return routeTexts.announcement;
    case "notice":
      return routeTexts.woken(isBound);
    default:
      return assertNever(turn.source.kind);
  }
}
