import { z } from "zod";
import { readPointer, writtenPointer } from "../../channel/descriptor.ts";
import type { Route } from "../../core/delivery/delivery.ts";
import { parseSessionKey, type SessionKey } from "../../core/session/session-key.ts";
import { operatorTexts } from "../../core/texts/commands/operator.ts";
import type { DeliveryTrace } from "../../store/reads/trace/delivery.ts";
import type { EventTrace } from "../../store/reads/trace/event.ts";
import { type Told, tellDelivery, timeText } from "../../trace/delivery-text.ts";
import { tellEvent } from "../../trace/event-text.ts";
import { type Candidate, type FoundMessage, findMessage } from "../../trace/find-message.ts";
import { unknownMessage } from "../../trace/unknown-text.ts";
import { type CommandContext, defineCommand } from "../command.ts";

const texts = operatorTexts.why;

/**
 * `/why [message]`: what happened to a message and why, or why a reply of the agent went where it did (IN-17, CM-8). Without
 * words it is about the message it replies to. Where others read the answer it tells of that conversation only; texts it never shows.
 */
export const why = defineCommand({
  name: "why",
  group: "administration",
  summary: texts.summary,
  arguments: [{ name: "message", description: texts.message }],
  input: z.object({ message: z.string().optional() }),
  role: "owner",
  execute: async ({ message }, context) => {
    const { services, repliesTo } = context;
    const written = message ?? (repliesTo === null ? null : repliedTo(context, repliesTo));
    if (written === null) {
      const links = services.channels.find((one) => one.channel === context.route.channel)?.links;
      return {
        text: links === undefined ? texts.usage : `${texts.usage}\n${texts.usageHere(links.example)}`,
        private: true,
      };
    }
    const pointed = readPointer(services.channels, written);
    const found = visibleIn(context, await findMessage(services.store, written, pointed));
    switch (found.found) {
      case "one": {
        const now = services.clock.now();
        const told = [
          ...found.events.map((one) => tellEvent(one, now)),
          ...found.deliveries.map((one) => tellDelivery(one, now)),
        ];
        return { text: told.map(markdown).join("\n\n"), private: true };
      }
      case "several":
        return { text: severalText(found.candidates), private: true };
      case "elsewhere":
        return { text: texts.elsewhere, private: true };
      case "none": {
        const lines = unknownMessage({ ...services, pointed, now: services.clock.now(), account: stateOf(context) });
        return { text: [texts.unknown, ...lines].join("\n"), private: true };
      }
    }
  },
});

/** Where several people are, all accounts see the same ids; in a direct chat each has its own. */
function repliedTo({ route, rights }: CommandContext, messageId: string): string {
  return writtenPointer({ ...route, accountId: rights.group === null ? route.accountId : null }, messageId);
}

function stateOf({ services }: CommandContext) {
  const health = services.health();
  return ({ channel, accountId }: { readonly channel: string; readonly accountId: string }): string | null => {
    const one = health.get(`${channel}/${accountId}`);
    if (one === undefined) return texts.notStarted;
    return one.lastError === null ? one.state : `${one.state}: ${one.lastError}`;
  };
}

function severalText(candidates: readonly Candidate[]): string {
  const lines = candidates.map(({ reference, direction, at }) =>
    direction === "in" ? texts.received(reference, timeText(at)) : texts.sent(reference, timeText(at)),
  );
  return [texts.several, ...lines].join("\n");
}

function markdown({ title, facts, history }: Told): string {
  const lines = facts.map(([name, value]) => `- **${name}:** ${value}`);
  const events = history.map(([at, what]) => `- ${timeText(at)}: ${what}`);
  return [`**${title}**`, ...lines, ...events].join("\n");
}

export type Visible = FoundMessage | { readonly found: "elsewhere" };

type Here = Pick<CommandContext, "route" | "sessionKey">;

/** Other people can read a group: the answer there covers this place only (CM-8). */
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

/** An agent may have been asked elsewhere to write here; the answer there names who asked. */
function deliveryHere(here: Here, trace: DeliveryTrace): DeliveryTrace {
  const delivery = { ...trace.delivery, sessionKey: shownKey(here, trace.delivery.sessionKey) };
  const { origin } = trace;
  if (origin.by !== "turn") return { ...trace, delivery };
  const inputs = origin.inputs.filter(
    ({ route, from }) => (route === null || isHere(here, route)) && !namesElsewhere(here, from),
  );
  return { ...trace, delivery, origin: { ...origin, inputs } };
}
