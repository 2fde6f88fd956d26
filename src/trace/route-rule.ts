import { conversationKey, sameRoute } from "../core/delivery/route.ts";
import { assertNever } from "../core/runtime.ts";
import type { DeliveryOrigin, DeliveryTrace } from "../store/reads/trace/delivery.ts";

/** Why a delivery goes where it goes (DL-16): the rule of TN-15, TB-2 or CP-4 that decided its route, in words. */
export function routeRule(trace: DeliveryTrace): string {
  const { origin, delivery } = trace;
  const rule = originRule(origin, trace);
  const source = origin.by === "turn" ? origin.turn.source.route : null;
  if (source === null || sameRoute(source, delivery.route)) return rule;
  // The way out takes the turn's route as it is, so only a changed id of the conversation can lie in between.
  return `${rule}; the conversation's id has changed since (it was ${source.to})`;
}

function originRule(origin: DeliveryOrigin, trace: DeliveryTrace): string {
  switch (origin.by) {
    case "turn":
      return turnRule(origin, trace);
    case "command":
      return "where the command was given";
    case "thread":
      return trace.delivery.content.kind === "thread"
        ? "a thread is made in the conversation of the turn that asked for it (TB-1)"
        : "the thread it tells of, or the conversation around it";
    case "message tool":
      return "the agent named the place in its call of the message tool (ST-40)";
    case "refusal":
      return "where the message it answers came from";
    case "full queue":
      return "the conversation whose queue was full";
    case "turn failure":
      return "where the answer of the turn that failed would have gone";
    case "other":
      return "the place stored with it";
    default:
      return assertNever(origin);
  }
}

function turnRule(
  { turn, told }: Extract<DeliveryOrigin, { by: "turn" }>,
  { delivery, isBound }: DeliveryTrace,
): string {
  const bound = isBound ? "; it is bound to this session (TB-2)" : "";
  switch (turn.source.kind) {
    case "event":
      return `the conversation the message came from (TN-15)${bound}`;
    case "task":
    case "steer":
      return `the helper's own place${bound}`;
    case "completion": {
      if (isBound) return "the conversation bound to the session that asked for the helper (CP-4, first rule)";
      const asked = told.find(
        ({ route }) => route !== null && conversationKey(route) === conversationKey(delivery.route),
      );
      return asked === undefined
        ? "where the people of the session that asked for the helper wrote last (CP-4)"
        : `the conversation of the turn that started the helper, kept with run ${asked.id} (CP-4)`;
    }
    case "inter_session":
      return "the announcement of an exchange between sessions: the place of the session that announces (ST-25)";
    case "notice":
      return `the place of the session that was woken${bound}`;
    default:
      return assertNever(turn.source.kind);
  }
}
