import { conversationKey, sameRoute } from "../core/delivery/route.ts";
import { assertNever } from "../core/runtime.ts";
import { routeTexts as texts } from "../core/texts/trace/routes.ts";
import type { DeliveryOrigin, DeliveryTrace } from "../store/reads/trace/delivery.ts";

/** Why a delivery goes where it goes (DL-16): the rule of TN-15, TB-2 or CP-4 that decided its route, in words. */
export function routeRule(trace: DeliveryTrace): string {
  const { origin, delivery } = trace;
  const rule = originRule(origin, trace);
  const source = origin.by === "turn" ? origin.turn.source.route : null;
  if (source === null || sameRoute(source, delivery.route)) return rule;
  // The way out takes the turn's route as it is, so only a changed id of the conversation can lie in between.
  return texts.moved(rule, source.to);
}

function originRule(origin: DeliveryOrigin, trace: DeliveryTrace): string {
  switch (origin.by) {
    case "turn":
      return turnRule(origin, trace);
    case "command":
      return texts.command;
    case "thread":
      return trace.delivery.content.kind === "thread" ? texts.newThread : texts.thread;
    case "message tool":
      return texts.messageTool;
    case "refusal":
      return texts.refusal;
    case "full queue":
      return texts.fullQueue;
    case "turn failure":
      return texts.turnFailure;
    case "other":
      return texts.stored;
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
      return texts.message(isBound);
    case "task":
    case "steer":
      return texts.subagent(isBound);
    case "completion": {
      if (isBound) return texts.linkedRequester;
      const asked = told.find(
        ({ route }) => route !== null && conversationKey(route) === conversationKey(delivery.route),
      );
      return asked === undefined ? texts.requester : texts.spawn(asked.id);
    }
    case "inter_session":
      return texts.announcement;
    case "notice":
      return texts.woken(isBound);
    default:
      return assertNever(turn.source.kind);
  }
}
