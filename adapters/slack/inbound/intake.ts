import type { AdapterHost } from "../../../src/channel/adapter.ts";
import type { NativeCommand } from "../../../src/channel/capabilities.ts";
import type { Health } from "../../../src/channel/intake.ts";
import { createIntake } from "../../../src/channel/intake.ts";
import { type InboundEvent, identityKey } from "../../../src/core/message/inbound-event.ts";
import { assertNever } from "../../../src/core/runtime.ts";
import { type BotFacts, CHANNEL } from "../address.ts";
import type { Askers } from "../calls/asked.ts";
import { createPicking, type PickedCall, type Picking } from "../calls/picking.ts";
import type { Lookups } from "../gateway/lookups.ts";
import type { Seen } from "../missed/seen.ts";
import { wordsOfBlocks } from "./blocks.ts";
import { type OuterEvent, readOuter, readSlash } from "./event-shape.ts";
import type { Reading, SlackFact } from "./gestures.ts";
import { readSlashCall } from "./gestures.ts";
import { readEvent, readRoot } from "./inbound.ts";

/** What an event, a slash command and a choice are for the shared intake. */
export interface SlackIntake {
  /** Resolves when the event is stored, parked, or known to need neither: only then it may be acknowledged (IN-3). */
  take(body: unknown): Promise<void>;
  /** The same for a slash command, which was acknowledged before. */
  takeSlash(body: unknown): Promise<void>;
  /** The same for what a person did with an element of a message. */
  takeChoice(body: unknown): Promise<void>;
  /** Reads a message of the history that is shown with another one. */
  readRoot(message: object, channel: string): Promise<InboundEvent>;
  /** Suggestions for an element of a picker. Never rejects. */
  options: Picking["options"];
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>;
}

interface SlackIntakeParts {
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

export function createSlackIntake(parts: SlackIntakeParts): SlackIntake {
  const { host, bot, lookups, askers, seen, health, signal } = parts;
  const intake = createIntake({ channel: CHANNEL, botId: bot.userId, host, health, signal });

  let commandsTaken = 0;

  const reading = (): Reading => ({
    bot,
    accountId: host.accountId,
    now: host.platformClock.now(),
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
        health.connection("failed", fact.reason);
        return;
      case "nothing":
        host.log.debug({ why: fact.why }, "event ignored");
        if (fact.event !== undefined) await store(fact.event);
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

  async function identityOf(body: unknown): Promise<string | null> {
    const fact = readEvent(readOuter(body), reading());
    return fact.kind === "event" ? identityKey(fact.event.identity) : null;
  }

  async function insist(body: unknown, act: (body: unknown) => Promise<void>): Promise<void> {
    const id = eventIdOf(body) ?? String(host.clock.now());
    await intake.take({ id, raw: body, store: () => act(body), identity: () => identityOf(body) });
  }

  /** Commands never wait behind anything (CM-4), so each has its own lane. */
  function atOnce(body: unknown, act: (body: unknown) => Promise<void>): Promise<void> {
    commandsTaken += 1;
    return intake.inOrder(`command ${commandsTaken}`, () => insist(body, act));
  }

  return {
    take: (body) => intake.inOrder(laneOf(body), () => insist(body, attempt), eventIdOf(body)),
    takeSlash: (body) => atOnce(body, attemptSlash),
    takeChoice: (body) => atOnce(body, attemptChoice),
    async readRoot(message, channel) {
      const event = { ...message, type: "message", channel };
      await lookups.prepare(namedIn({ event }));
      return readRoot(message, channel, reading());
    },
    options: picking.options,
    idle: intake.idle,
  };
}

/** What must be looked up to read an event. */
function namedIn({ event }: OuterEvent): Parameters<Lookups["prepare"]>[0] {
  const messages = [event, event.message, event.previous_message].filter(isRecord);
  const people = [...messages.map(({ user }) => user), ...messages.map(({ inviter }) => inviter)].filter(isText);
  const text = messages.map(allText).join(" ");
  const item = isRecord(event.item) ? event.item.channel : undefined;
  const channel = isText(event.channel) ? event.channel : isText(item) ? item : null;
  return { channel, people, text };
}

/** Everything in a message that may mention a person: its text is not checked yet. */
function allText(message: Readonly<Record<string, unknown>>): string {
  const { text, blocks, attachments } = message;
  return [isText(text) ? text : "", wordsOfBlocks(blocks), JSON.stringify(attachments ?? [])].join(" ");
}

/** Slack's own id of the event. It is the same when Slack sends the event again. */
function eventIdOf(body: unknown): string | undefined {
  return isRecord(body) && isText(body.event_id) ? body.event_id : undefined;
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
