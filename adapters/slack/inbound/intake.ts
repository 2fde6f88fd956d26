import type { AdapterHost } from "../../../src/channel/adapter.ts";
import { backoffMs, pause } from "../../../src/channel/backoff.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import { isStoreTrouble, StoreError } from "../../../src/core/errors.ts";
import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";
import { assertNever } from "../../../src/core/runtime.ts";
import { type BotFacts, CHANNEL } from "../address.ts";
import type { Askers } from "../calls/asked.ts";
import { createPicking, type PickedCall, type Picking } from "../calls/picking.ts";
import type { Lookups } from "../gateway/lookups.ts";
import type { Health } from "../health.ts";
import type { Seen } from "../missed/seen.ts";
import { type OuterEvent, readOuter, readSlash } from "./event-shape.ts";
import { readSlashCall } from "./gestures.ts";
import { type Reading, readEvent, type SlackFact } from "./inbound.ts";

/** A poison event is tried so often, then parked (IN-3). */
const TRIES = 3;
const BETWEEN_TRIES_MS = 100;

export interface Intake {
  /**
   * Resolves when the event is stored, parked, or known to need neither: only then it may be acknowledged (IN-3). While the
   * store is away it waits. Rejects when called off before that.
   */
  take(body: unknown): Promise<void>;
  /** The same for a slash command, which was acknowledged before. */
  takeSlash(body: unknown): Promise<void>;
  /** The same for what somebody did with an element of a message. */
  takeChoice(body: unknown): Promise<void>;
  /** What is proposed for an element of a picker. Never rejects. */
  options: Picking["options"];
  /** Resolves when nothing that was taken in is still on its way. */
  idle(): Promise<void>;
}

export interface IntakeParts {
  readonly host: AdapterHost;
  readonly bot: BotFacts;
  readonly lookups: Lookups;
  readonly askers: Askers;
  readonly seen: Seen;
  readonly health: Health;
  readonly rememberAssistant: (channel: string, threadTs: string) => Promise<void>;
  /** What a picker offers. */
  readonly commands: () => readonly NativeCommand[];
  readonly signal: AbortSignal;
}

export function createIntake(parts: IntakeParts): Intake {
  const { host, bot, lookups, askers, seen, health, signal } = parts;
  /** Events of one conversation are stored in the order they came; conversations beside each other. */
  const lanes = new Map<string, Promise<void>>();
  /**
   * By Slack's own id of the event. One that comes again while it waits joins its first arrival: in a burst everything that
   * is not stored within 3 s comes up to three times more, and kept each time it would fill the memory with copies.
   */
  const underWay = new Map<string, Promise<void>>();

  const reading = (): Reading => ({
    bot,
    accountId: host.accountId,
    now: host.clock.now(),
    directory: lookups.directory,
  });

  async function store(event: InboundEvent): Promise<void> {
    const accepted = await host.accept(event);
    if (event.kind === "message" && "sessionKey" in accepted && accepted.result !== "kept") seen.note(event);
  }

  async function carryOut(fact: SlackFact): Promise<void> {
    switch (fact.kind) {
      case "event":
        if (fact.event.kind === "message") askers.rememberMessage(fact.event);
        await store(fact.event);
        return;
      case "assistant":
        await parts.rememberAssistant(fact.channel, fact.threadTs);
        return;
      case "revoked":
        host.log.error({ reason: fact.reason }, "this account of Slack no longer works");
        health.failed(fact.reason);
        return;
      case "nothing":
        host.log.debug({ why: fact.why }, "an event starts nothing");
        return;
      default:
        return assertNever(fact);
    }
  }

  async function attempt(body: unknown): Promise<void> {
    const outer = readOuter(body);
    await lookups.prepare(namedIn(outer));
    await carryOut(readEvent(outer, reading()));
  }

  async function eventOf({ call, threadTs }: PickedCall): Promise<InboundEvent> {
    await lookups.prepare({ channel: call.channel_id, people: [call.user_id], text: "" });
    return readSlashCall(call, reading(), threadTs);
  }

  const picking = createPicking({ host, bot, commands: parts.commands, eventOf });

  async function attemptSlash(body: unknown): Promise<void> {
    const call = readSlash(body);
    if (!(await picking.open(call))) await storeCall({ call, threadTs: null });
  }

  async function attemptChoice(body: unknown): Promise<void> {
    const picked = await picking.choose(body);
    if (picked === null) return;
    await storeCall(picked);
    await picking.close(picked);
  }

  async function storeCall(picked: PickedCall): Promise<void> {
    const { call } = picked;
    const event = await eventOf(picked);
    if (call.response_url !== undefined) askers.rememberSlash(event, call.response_url);
    await store(event);
  }

  /** Until it is stored or parked. */
  async function insist(body: unknown, act: (body: unknown) => Promise<void>): Promise<void> {
    let isWaiting = false;
    try {
      for (let failures = 1, away = 1; ; ) {
        if (signal.aborted) throw new Error("the account was stopped before an event was stored");
        try {
          return await act(body);
        } catch (error) {
          if ((error instanceof StoreError && error.retryable) || isStoreTrouble(error)) {
            // The store is away, nothing is wrong with the event: it waits, and is never parked.
            if (!isWaiting) health.waiting(1);
            isWaiting = true;
            host.log.warn({ err: error }, "an event is not stored yet");
            await pause(backoffMs(away), signal);
            away = Math.min(away + 1, 5);
            continue;
          }
          host.log.warn({ err: error, failures }, "an event could not be taken in");
          if (failures === TRIES) return await park(body, error);
          failures += 1;
          await pause(BETWEEN_TRIES_MS, signal);
        }
      }
    } finally {
      if (isWaiting) health.waiting(-1);
    }
  }

  async function park(body: unknown, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    await host.park({ identity: identityFor(body), error: reason, raw: JSON.stringify(body) });
  }

  /** The identity an event would have; of one that cannot even be read, Slack's own id of it. */
  function identityFor(body: unknown): string {
    try {
      const fact = readEvent(readOuter(body), reading());
      if (fact.kind === "event") return identityKey(fact.event.identity);
    } catch (error) {
      host.log.debug({ err: error }, "an event cannot be read");
    }
    const id = typeof body === "object" && body !== null && "event_id" in body ? body.event_id : host.clock.now();
    return [CHANNEL, bot.userId, "event", String(id)].map(encodeURIComponent).join("/");
  }

  function inOrder(lane: string, act: () => Promise<void>): Promise<void> {
    const before = lanes.get(lane) ?? Promise.resolve();
    const mine = before.then(act);
    const done = mine
      .catch(() => undefined)
      .finally(() => {
        if (lanes.get(lane) === done) lanes.delete(lane);
      });
    lanes.set(lane, done);
    return mine;
  }

  function takeOnce(body: unknown): Promise<void> {
    const id = isRecord(body) && isText(body.event_id) ? body.event_id : null;
    const before = id === null ? undefined : underWay.get(id);
    if (before !== undefined) return before;
    const work = inOrder(laneOf(body), () => insist(body, attempt));
    if (id === null) return work;
    const taken = work.finally(() => underWay.delete(id));
    underWay.set(id, taken);
    return taken;
  }

  return {
    take: takeOnce,
    // Commands never wait behind anything (CM-4).
    takeSlash: (body) => inOrder(`slash ${host.clock.now()} ${lanes.size}`, () => insist(body, attemptSlash)),
    takeChoice: (body) => inOrder(`choice ${host.clock.now()} ${lanes.size}`, () => insist(body, attemptChoice)),
    options: picking.options,
    async idle() {
      await Promise.all(lanes.values());
    },
  };
}

/** What must be looked up to read an event. */
function namedIn({ event }: OuterEvent): Parameters<Lookups["prepare"]>[0] {
  const messages = [event, event.message, event.previous_message].filter(isRecord);
  const people = [...messages.map(({ user }) => user), ...messages.map(({ inviter }) => inviter)].filter(isText);
  const text = messages.map((message) => (isText(message.text) ? message.text : "")).join(" ");
  const item = isRecord(event.item) ? event.item.channel : undefined;
  const channel = isText(event.channel) ? event.channel : isText(item) ? item : null;
  return { channel, people, text };
}

function laneOf(body: unknown): string {
  const event = isRecord(body) ? body.event : null;
  return isRecord(event) && isText(event.channel) ? event.channel : "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
