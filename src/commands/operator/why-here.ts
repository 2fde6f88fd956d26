import type { Route } from "../../core/delivery/route.ts";
import { parseSessionKey, type SessionKey } from "../../core/session/session-key.ts";
import type { DeliveryTrace } from "../../store/reads/trace/delivery.ts";
import type { EventTrace } from "../../store/reads/trace/event.ts";
import type { FoundMessage } from "../../trace/find-message.ts";
import type { CommandContext } from "../command.ts";

export type Visible = FoundMessage | { readonly found: "elsewhere" };

type Here = Pick<CommandContext, "route" | "sessionKey">;

/** In a group everybody may read along: what is told there is of this place only (CM-8). */
export function visibleIn(context: Here & Pick<CommandContext, "inPrivate">, found: FoundMessage): Visible {
  if (context.inPrivate || found.found === "none") return found;
  if (found.found === "several") {
    const candidates = found.candidates.filter(({ place }) => isHere(context, place));
    return candidates.length === 0 ? { found: "elsewhere" } : { found: "several", candidates };
  }
  const places = [...found.events.map(({ place }) => place), ...found.deliveries.map(({ delivery }) => delivery.route)];
  if (!places.every((place) => isHere(context, place))) return { found: "elsewhere" };
  return {
    found: "one",
    events: found.events.map((trace) => eventHere(context, trace)),
    deliveries: found.deliveries.map((trace) => deliveryHere(context, trace)),
  };
}

function isHere({ route }: Here, place: Pick<Route, "channel" | "to">): boolean {
  return place.channel === route.channel && place.to === route.to;
}

/** The key of a direct chat's session has the person's id, that of another group the group's. */
function namesElsewhere({ route, sessionKey }: Here, key: string): boolean {
  if (key === sessionKey) return false;
  const parts = parseSessionKey(key);
  switch (parts?.kind) {
    case "direct":
      return true;
    case "group":
    case "channel":
      return parts.channel !== route.channel || parts.id !== route.to;
    default:
      return false;
  }
}

function shownKey(here: Here, key: SessionKey | null): SessionKey | null {
  return key === null || namesElsewhere(here, key) ? null : key;
}

function eventHere(here: Here, trace: EventTrace): EventTrace {
  const toHere = (answers: EventTrace["answers"]) => answers.filter(({ route }) => isHere(here, route));
  return {
    ...trace,
    sessionKey: shownKey(here, trace.sessionKey),
    answers: toHere(trace.answers),
    subagents: trace.subagents.map(({ run, answers }) => ({ run, answers: toHere(answers) })),
  };
}

/** An agent may have been asked elsewhere to write here; by whom is told there. */
function deliveryHere(here: Here, trace: DeliveryTrace): DeliveryTrace {
  const delivery = { ...trace.delivery, sessionKey: shownKey(here, trace.delivery.sessionKey) };
  const { origin } = trace;
  if (origin.by !== "turn") return { ...trace, delivery };
  const inputs = origin.inputs.filter(
    ({ route, from }) => (route === null || isHere(here, route)) && !namesElsewhere(here, from),
  );
  return { ...trace, delivery, origin: { ...origin, inputs } };
}
