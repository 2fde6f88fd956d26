import type { NewDelivery } from "../../core/delivery/delivery.ts";
import type { AcceptResult } from "../../core/message/inbound-event.ts";
import { assertNever } from "../../core/runtime.ts";
import type { SessionKey } from "../../core/session/session-key.ts";
import { notices } from "../../core/texts/chat/notices.ts";
import { eventRules } from "../../core/texts/rules.ts";
import { RATE_WINDOW_MS } from "../../routing/agent-rules.ts";
import type { Decision } from "../../routing/decide.ts";
import { approveCommand, PAIRING_LIFE_MS, PAIRING_MAX_WAITING, pairingCode } from "../../routing/pairing.ts";
import type { KeptContext } from "../../store/parts/kept-context.ts";
import { pairingRequests } from "../../store/reads/people/people.ts";
import { type RecordRefusalInput, refusalStep } from "../../store/steps/inbound/record-refusal.ts";
import { type Arrival, expectedOf, type Undecided } from "./arrival.ts";
import { contextText } from "./shown-text.ts";

type StartsNothing = Extract<Decision, { readonly decision: "keep" | "refuse" }>;
type Effects = Pick<RecordRefusalInput, "notice" | "pairing" | "failure"> & { readonly rule: string };

/** Stores why an event is ignored (IN-17), and reports it: to the person once, to the operator always. */
export async function recordDecidedRefusal(undecided: Undecided, decision: StartsNothing): Promise<AcceptResult> {
  const { arrival, row, known } = undecided;
  const kept = decision.decision === "keep" ? keptContext(arrival, decision.key) : null;
  const result = decision.decision === "refuse" ? decision.result : kept === null ? "ignored" : "kept";
  const effects = answered(arrival, decision, await effectsOf(arrival, decision));
  // When it is decided again, no one is told a second time: the first arrival did that.
  const told = known === null ? effects : { ...effects, notice: null, pairing: null, failure: null };
  const refusal: RecordRefusalInput = { row, expected: expectedOf(known), result, kept, ...told };
  await arrival.deps.store.step(refusalStep(refusal), refusal);
  if (result === "kept") return { result, rule: effects.rule, sessionKey: kept?.sessionKey ?? null };
  return { result, rule: effects.rule };
}

/** IN-7: unaddressed messages of people are kept, up to `historyLimit`. */
function keptContext({ event, index }: Arrival, sessionKey: SessionKey): KeptContext | null {
  const limit = index.settings.messages.historyLimit;
  const text = contextText(event);
  return limit <= 0 || text === "" ? null : { sessionKey, senderName: event.sender.name, text, limit };
}

async function effectsOf(arrival: Arrival, decision: StartsNothing): Promise<Effects> {
  const none = { notice: null, pairing: null, failure: null, rule: decision.rule };
  if (decision.decision === "keep") return none;
  const { event, now, index, deps } = arrival;
  const { route } = event;
  const place = `${route.channel}/${route.accountId}`;
  if (decision.result === "stale") {
    const message = eventRules.missed(place, event.peer.label ?? event.peer.id);
    const subject = `${place}/${route.to}/${route.threadId ?? ""}`;
    const since = now - index.settings.catchUpMaxAgeMs;
    return { ...none, failure: { kind: "catch_up", subject, sessionKey: null, message, since } };
  }
  switch (decision.tell) {
    case null:
      return none;
    case "pairing":
      return pairingEffects(arrival, decision.rule);
    case "rate limit": {
      const subject = `${place}/${event.sender.id}`;
      const message = eventRules.reached(subject, decision.rule);
      const text = limitNotice(decision);
      const failure = { kind: "limit" as const, subject, sessionKey: null, message, since: now - RATE_WINDOW_MS };
      return { ...none, notice: notice(arrival, text), failure };
    }
    case "no agent": {
      deps.log.warn({ channel: route.channel, account: route.accountId, rule: decision.rule }, "no agent for an event");
      const failure = { kind: "inbound" as const, subject: decision.rule, sessionKey: null, message: decision.rule };
      return { ...none, failure: { ...failure, since: now - 3_600_000 } };
    }
    default:
      return assertNever(decision.tell);
  }
}

/** What a person means to have answered, as soon as they may (FC-333); a command is not run later. */
function isQuestion({ event, commands }: Arrival): boolean {
  return event.kind === "message" && commands.read(event) === null && commands.readPlainStop(event) === null;
}

/** IN-5: one short message with the code, the same one while it lives; when too many wait, nothing. */
async function pairingEffects(arrival: Arrival, rule: string): Promise<Effects> {
  const { event, deps, now } = arrival;
  const account = { channel: event.route.channel, accountId: event.accountId };
  const waiting = await deps.store.read(pairingRequests, { now, account });
  const mine = waiting.find((request) => request.senderId === event.sender.id);
  if (mine === undefined && waiting.length >= PAIRING_MAX_WAITING) {
    return {
      notice: null,
      pairing: null,
      failure: null,
      rule: eventRules.tooManyPairings(rule, PAIRING_MAX_WAITING),
    };
  }
  const code = mine?.code ?? pairingCode();
  const pairing = {
    ...account,
    senderId: event.sender.id,
    senderName: event.sender.name,
    code,
    expiresAt: mine?.expiresAt ?? now + PAIRING_LIFE_MS,
    maxWaiting: PAIRING_MAX_WAITING,
    greeting: {
      key: `welcome:${account.channel}/${account.accountId}/${event.sender.id}/${code}`,
      route: event.route,
      content: { kind: "message", piece: deps.renderNotice(account, notices.welcome), replyTo: null, private: false },
    } as const,
    event: isQuestion(arrival) ? event : null,
  };
  const approve = (cli: string): string => approveCommand(cli, account.channel, code);
  if (mine === undefined) {
    const fields = { ...account, sender: event.sender.id, owner: `${approve(deps.commandLine.exact)} --owner` };
    deps.log.info({ ...fields, approve: approve(deps.commandLine.exact) }, "a person asks for access");
  }
  return {
    notice: notice(arrival, notices.pairing(code, approve(deps.commandLine.shown))),
    pairing,
    failure: null,
    rule,
  };
}

/** FC-330: a native call is acknowledged already, so its person waits for an answer: every refusal is answered there. */
function answered(arrival: Arrival, decision: StartsNothing, effects: Effects): Effects {
  const { kind, sender } = arrival.event;
  if (kind !== "command" || sender.isSelf || sender.isBot || effects.notice !== null) return effects;
  const isLimit = decision.decision === "refuse" && decision.limited !== undefined;
  return { ...effects, notice: notice(arrival, isLimit ? limitNotice(decision) : notices.commandRefused) };
}

function limitNotice({ limited }: Extract<StartsNothing, { readonly decision: "refuse" }>): string {
  return limited === "command" ? notices.tooManyCommands : notices.tooFast;
}

/** Keyed by the event, so that the same arrival stored twice sends it once (DL-2). A native call is answered in place, privately. */
function notice({ event, deps }: Arrival, text: string): NewDelivery {
  const { route, identity } = event;
  const piece = deps.renderNotice({ channel: route.channel, accountId: route.accountId }, text);
  const key = `notice:${[identity.channel, identity.botId, identity.conversation, identity.messageId].join("/")}`;
  const id = event.command?.interactionId;
  const inPlace = id === undefined ? {} : { interaction: { id, first: true } };
  return {
    key,
    route,
    content: { kind: "message", piece, replyTo: null, private: event.kind === "command", ...inPlace },
  };
}
