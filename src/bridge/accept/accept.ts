import type { Suggestion, SuggestionKind } from "../../channel/capabilities.ts";
import type { CommandDefinition } from "../../commands/command.ts";
import { suggestionsFor } from "../../commands/suggestions.ts";
import { conversationKey } from "../../core/delivery/delivery.ts";
import { StoreError } from "../../core/errors.ts";
import { type AcceptResult, type InboundEvent, identityKey } from "../../core/message/inbound-event.ts";
import { assertNever } from "../../core/runtime.ts";
import { roleAtLeast } from "../../core/session/rights.ts";
import type { AccountSettings } from "../../core/settings.ts";
import { eventRules } from "../../core/texts/rules.ts";
import { roleOf } from "../../routing/admission.ts";
import { RATE_WINDOW_MS, routingIndex } from "../../routing/agent-rules.ts";
import { createCommandGate } from "../../routing/command-gate.ts";
import { inThread } from "../../routing/places.ts";
import { acceptFacts, whoseCommand } from "../../store/reads/inbound/accept-facts.ts";
import { nextHeldEvent } from "../../store/reads/inbound/inbox.ts";
import { dropHeld, holdEvent } from "../../store/steps/inbound/hold-event.ts";
import type { Store } from "../../store/store.ts";
import type { TaskHandler } from "../../work/work-queue.ts";
import { acceptDeletion, acceptEdit, acceptThreadChange, ignoreEvent } from "./accept-change.ts";
import { acceptMessage, decideArrival } from "./accept-message.ts";
import type { AcceptDeps, Arrival } from "./arrival.ts";
import { albumKey } from "./arrival.ts";
import { createRateLedger } from "./rate-ledger.ts";

/** `heldAt`: when an event came that had to wait for its place (TB-1); it is decided as of then. */
export type Accept = (event: InboundEvent, account: AccountSettings, heldAt?: number) => Promise<AcceptResult>;

/** How often an event is decided again because another arrival of it was stored meanwhile. */
const MAX_DECISIONS = 6;
/** TB-1: how long messages in an unknown thread wait for the one that is being made. */
const PLACE_WAIT_MS = 2 * 60_000;
const CHANGED = ["event_changed", "pairing_changed"];

/**
 * The one way in (IN-1 to IN-17): reads what is known, decides purely, stores in one step. Resolves when it is committed, so
 * the platform may be acknowledged then and not before (IN-3). Nothing slow happens here: attachments are fetched, commands
 * carried out and turns run from the rows it leaves. Rejects with a StoreError when the event could not be stored.
 */
export function createAccept(deps: AcceptDeps): Accept {
  const commands = createCommandGate(deps.commandNames, deps.startsWork);
  const rates = createRateLedger();
  let index = routingIndex(deps.settings());
  return async (event, account, heldAt) => {
    const settings = deps.settings();
    if (settings !== index.settings) index = routingIndex(settings);
    for (let decisions = 1; ; decisions += 1) {
      try {
        const arrival = await arrive(event, { deps, account, index, commands, rates, heldAt: heldAt ?? null });
        const waits = heldAt === undefined && arrival.facts.waitsForPlace && !event.sender.isSelf;
        const result = waits ? await hold(arrival) : await dispatch(arrival);
        // The first arrival may be stored, but not on disk yet; this one must not be acknowledged before it either (IN-3).
        if (result.result === "duplicate") await deps.store.onDisk();
        logResult(arrival, result);
        return result;
      } catch (error) {
        const changed = error instanceof StoreError && CHANGED.includes(error.code);
        if (!changed || decisions >= MAX_DECISIONS) throw error;
      }
    }
  };
}

/** Everything one event's decision rests on, read and not written. */
export async function arrive(
  event: InboundEvent,
  {
    heldAt,
    ...context
  }: Pick<Arrival, "deps" | "account" | "index" | "commands" | "rates"> & { readonly heldAt: number | null },
): Promise<Arrival> {
  const { deps } = context;
  const now = heldAt ?? deps.clock.now();
  const platformNow = now - deps.clockAheadMs(context.account);
  const group = event.peer.kind !== "direct";
  const identity = identityKey(event.identity);
  const asked = {
    channel: event.route.channel,
    accountId: event.accountId,
    senderId: event.sender.id,
    peerId: event.peer.id,
    conversation: conversationKey(event.route),
    identities: event.target === null ? [identity] : [identity, event.target],
    album: albumKey(event),
    group,
    inThread: group && inThread(event.thread),
    threadId: inThread(event.thread) ? event.thread.id : null,
    fromBot: event.sender.isBot,
    rateSince: now - RATE_WINDOW_MS,
    to: event.route.to,
    threaded: event.route.threadId !== null,
    makingSince: now - PLACE_WAIT_MS,
  };
  const read = await deps.store.read(acceptFacts, asked);
  // A late event carries the former id itself; the entries for it go on holding (SK-9).
  const facts = read.movedTo === null ? read : { ...read, movedFrom: event.peer.id };
  const here = atCurrentId(event, facts.movedTo);
  const shared = await sharedCommand(here, context);
  const isHeld = heldAt !== null;
  if (facts.movedTo === null) return { ...context, event: here, facts, shared, now, platformNow, isHeld };
  // The binding and the activation moved with the chat.
  const moved = await deps.store.read(acceptFacts, {
    ...asked,
    peerId: here.peer.id,
    conversation: conversationKey(here.route),
    to: here.route.to,
  });
  return {
    ...context,
    event: here,
    facts: { ...facts, bound: moved.bound, activation: moved.activation },
    shared,
    now,
    platformNow,
    isHeld,
  };
}

/** CM-17: checked only for a typed command without a bot's name, on a channel with several accounts. */
async function sharedCommand(
  event: InboundEvent,
  { deps, index, commands }: Pick<Arrival, "deps" | "index" | "commands">,
): Promise<Arrival["shared"]> {
  const { route, mentions, link, replyTo } = event;
  if (event.kind !== "message" || event.peer.kind === "direct" || mentions.bot || mentions.replyToBot) return null;
  const others = index.settings.accounts
    .filter(({ channel, accountId }) => channel === route.channel && accountId !== route.accountId)
    .map(({ accountId }) => accountId);
  if (others.length === 0 || commands.read(event) === null) return null;
  const command = {
    ...{ route, others },
    senderId: event.sender.id,
    // Where the platform has no address for a message its number is each bot's own, and may be another message's with another.
    link: link !== null && /^https?:/.test(link) ? link : null,
    replyTo: replyTo?.messageId || null,
  };
  return { command, isFor: await deps.store.read(whoseCommand, command) };
}

/** TB-1: decided once the thread being created here is settled; only then is its session known. */
async function hold({ deps, event }: Arrival): Promise<AcceptResult> {
  await deps.store.step(holdEvent, { identity: identityKey(event.identity), event });
  return { result: "kept", sessionKey: null, rule: eventRules.parked };
}

/** SK-9: an event from before a chat's id changed goes where the chat is now. */
function atCurrentId(event: InboundEvent, movedTo: string | null): InboundEvent {
  if (movedTo === null) return event;
  const to = event.route.to === event.peer.id ? movedTo : event.route.to;
  return { ...event, peer: { ...event.peer, id: movedTo }, route: { ...event.route, to } };
}

function dispatch(arrival: Arrival): Promise<AcceptResult> {
  const { kind, startsNothing } = arrival.event;
  if (startsNothing !== undefined) return ignoreEvent(arrival, startsNothing);
  switch (kind) {
    case "message":
    case "command":
      return acceptMessage(arrival);
    case "edit":
      return acceptEdit(arrival);
    case "delete":
      return acceptDeletion(arrival);
    case "reaction":
      return ignoreEvent(arrival, eventRules.reaction);
    case "thread_changed":
      return acceptThreadChange(arrival);
    default:
      return assertNever(kind);
  }
}

/** One line per event with the ids to follow it by (OP-7); never its text. */
function logResult(arrival: Arrival, result: AcceptResult): void {
  const { deps, event, platformNow } = arrival;
  const fields = {
    event: identityKey(event.identity),
    channel: event.route.channel,
    account: event.accountId,
    sender: event.sender.id,
    decision: result.result,
    rule: result.rule,
    ...("sessionKey" in result ? { session: result.sessionKey } : {}),
    lagMs: platformNow - event.sentAt,
  };
  const started = result.result === "accepted" || result.result === "merged" || result.result === "command";
  if (started) deps.log.info(fields, "event accepted");
  else if (isRefusedRequest(arrival, result)) deps.log.info(fields, "a request was refused");
  else deps.log.debug(fields, "event starts nothing");
}

/** Events that people expect an answer to: a native call (FC-330), and an owner's message to the bot in a closed place (FC-337). */
function isRefusedRequest({ event, index, facts }: Arrival, { result }: AcceptResult): boolean {
  if (result !== "refused" || event.sender.isBot) return false;
  if (event.kind === "command") return true;
  if (event.peer.kind !== "direct" && !event.mentions.bot && !event.mentions.replyToBot) return false;
  const sender = { channel: event.route.channel, id: event.sender.id };
  return roleOf(index.roles, sender, { paired: facts.paired, owner: facts.pairedOwner }) === "owner";
}

/**
 * The task `admit-held`; the key is a conversation's. Decides the messages that waited while a thread was being made there,
 * in the order they came, as if they had come at their time (TB-1). A row goes when its event is committed.
 */
export function createAdmitHeld(deps: {
  readonly store: Store;
  readonly accept: (event: InboundEvent, heldAt: number) => Promise<AcceptResult>;
}): TaskHandler {
  return async (conversation, _slot, signal) => {
    while (!signal.aborted) {
      const held = await deps.store.read(nextHeldEvent, conversation);
      if (held === null) return;
      await deps.accept(held.event, held.heldAt);
      await deps.store.step(dropHeld, { identity: held.identity, conversation });
    }
  };
}

export interface Asking {
  /** The command as it would be called with what is written so far; nothing of it is stored. */
  readonly event: InboundEvent;
  readonly kind: SuggestionKind;
  readonly typed: string;
}

/**
 * Suggestions for an argument while a person types it (CM-12). Whether they may use the command at all is decided exactly as for
 * the call itself (IN-15); who may not is proposed nothing.
 */
export function createSuggest(
  deps: AcceptDeps & { readonly commands: readonly CommandDefinition[] },
): (asking: Asking, account: AccountSettings) => Promise<readonly Suggestion[]> {
  const gate = createCommandGate(deps.commandNames, deps.startsWork);
  return async ({ event, kind, typed }, account) => {
    const settings = deps.settings();
    const index = routingIndex(settings);
    // A ledger of its own: asking for proposals uses up nothing.
    const rates = createRateLedger();
    const decision = decideArrival(await arrive(event, { deps, account, index, commands: gate, rates, heldAt: null }));
    if (decision.decision !== "command" || decision.denied !== null) return [];
    const { rights, place } = decision.start;
    const command = deps.commands.find(({ name }) => name === decision.command.name);
    if (command === undefined || !roleAtLeast(rights.role, command.role)) return [];
    return suggestionsFor(kind, typed, { ...deps, settings, sessionKey: place.key, rights, route: event.route });
  };
}
