import type { QuotedWords } from "../../core/message/inbound-event.ts";
import type { EventPayload, InboxItem } from "../../core/message/inbox-item.ts";
import type { MessagePart, NewMessage } from "../../core/message/transcript.ts";
import { channelQueue, type MergePolicy, queueWith, SENT_TOGETHER_MS } from "../../core/message/turn-inputs.ts";
import { assertNever } from "../../core/runtime.ts";
import type { Session } from "../../core/session/session.ts";
import { agentOf, type SessionKey } from "../../core/session/session-key.ts";
import type { Settings } from "../../core/settings.ts";
import { cutMiddle } from "../../core/text/cut.ts";
import { escapeMarkers, promptEntry, promptLine, promptName, promptQuote } from "../../core/text/prompt-words.ts";
import { envelope, messageEnvelope, quoteMarks } from "../../core/texts/agent/prompt.ts";
import type { LocalTime } from "../../core/time.ts";
import { sessionModel } from "../../sessions/context-window.ts";
import type { LiveTurn } from "../../sessions/live-turns.ts";
import type { ToMessage } from "../../store/parts/transcript.ts";
import { sessionByKey } from "../../store/reads/sessions/targets.ts";
import type { BeginTurnResult } from "../../store/steps/turns/begin-turn.ts";
import { interruptTurn } from "../../store/steps/turns/interrupt-turn.ts";
import type { TurnDeps } from "./ports.ts";

/** TN-17: one inbound message. */
const MAX_INPUT_BYTES = 64 * 1024;

/**
 * How an input reads in the transcript (IN-10, SP-4, ST-23). The envelope is ours; what stands inside it has its own
 * brackets escaped, so that no text can pass itself off as another envelope.
 */
export function toMessage(item: InboxItem, timeText: TimeText): NewMessage {
  return { role: "user", parts: partsOf(item, timeText), provenance: item.provenance, usage: null };
}

function partsOf(item: InboxItem, timeText: TimeText): readonly MessagePart[] {
  const { payload } = item;
  switch (payload.kind) {
    case "event":
      return [
        { type: "text", text: bounded(eventText(item, payload, timeText)) },
        ...payload.attachments.map((attachment): MessagePart => ({ type: "attachment", attachment })),
      ];
    case "task":
      return text(envelope.task(escapeMarkers(payload.text)));
    case "steer":
      return text(envelope.guidance(promptName(payload.from), escapeMarkers(payload.text)));
    case "inter_session":
      return text(interSession(payload, item.runId ?? ""));
    case "completion":
      return text(payload.text);
    case "notice":
      return text(noticeText(payload.text));
    case "command":
      throw new Error("a command never enters a transcript");
  }
}

/** Our own words are its first line; what it tells of others follows as a quote. */
function noticeText(notice: string): string {
  const end = notice.indexOf("\n");
  if (end === -1) return envelope.notice(promptLine(notice));
  return `${envelope.notice(promptLine(notice.slice(0, end)))}\n${promptQuote(notice.slice(end + 1))}`;
}

function interSession(payload: Extract<InboxItem["payload"], { kind: "inter_session" }>, runId: string): string {
  const head = envelope.interSession(payload.from, agentOf(payload.from), payload.fromChannel);
  return [head, stageText(payload, runId), escapeMarkers(payload.text)].filter((text) => text !== "").join(" ");
}

/** What the words after it are for, and who reads the answer (ST-24, ST-25). */
function stageText({ stage, from }: Extract<InboxItem["payload"], { kind: "inter_session" }>, runId: string): string {
  switch (stage.kind) {
    case "message":
      return "";
    case "late_reply":
      return envelope.late(runId, stage.failed === true);
    case "reply_back":
      return envelope.replyBack(stage.turn, stage.of, runId, from);
    case "announce":
      return envelope.announce(from, runId);
    default:
      return assertNever(stage);
  }
}

function text(value: string): readonly MessagePart[] {
  return [{ type: "text", text: bounded(value) }];
}

function bounded(value: string): string {
  return cutMiddle(value, MAX_INPUT_BYTES).text;
}

/** How a session's inputs read, with times in its agent's zone. */
export function messageMaker(
  settings: Settings,
  key: SessionKey,
  { localTime }: { readonly localTime: LocalTime },
): ToMessage {
  const timeZone = settings.agents.get(agentOf(key))?.userTimezone ?? "UTC";
  return (item) => toMessage(item, (at) => localTime.minute(at, timeZone));
}

/** What of a session's inputs belongs together (TN-3, TN-4). Rights are the same when the effective tools are. */
export function mergePolicy(
  settings: Settings,
  session: Session,
  { effectiveTools, presentAccess }: Pick<TurnDeps, "effectiveTools" | "presentAccess">,
): MergePolicy {
  const agent = settings.agents.get(session.agentId);
  const { queue } = settings.messages;
  return {
    mode: (route) => queueWith(channelQueue(queue, route?.channel ?? null), session.queue).mode,
    quietMs: queueWith(queue, session.queue).quietMs,
    presentAccess,
    signature: (rights) => {
      if (agent === undefined) return "";
      const { tools } = effectiveTools({
        settings,
        agent,
        session,
        rights,
        model: sessionModel(settings, agent, session),
      });
      return tools.map((tool) => tool.name).join(" ");
    },
  };
}

/**
 * TN-3 `interrupt`: looks at every message that comes while the turn runs whether it ends it, and once when a turn is taken up
 * again: what waits then came before the crash. A look that fails leaves the message in the queue, as in `followup`.
 */
export function watchForInterrupts(
  { turn, result }: Extract<BeginTurnResult, { turn: unknown }>,
  { settings, live }: { readonly settings: Settings; readonly live: LiveTurn },
  deps: Pick<TurnDeps, "store" | "liveTurns" | "log" | "clock" | "effectiveTools" | "presentAccess">,
): void {
  const { store, liveTurns, log, clock } = deps;
  const { sessionKey, source } = turn;
  const look = async (): Promise<void> => {
    const session = await store.read(sessionByKey, sessionKey);
    if (session === null) return;
    // FC-209: just after its start a turn of any mode may lack what was sent with its words.
    const isYoung = clock.now() - turn.startedAt < YOUNG_TURN_MS;
    if (!isYoung && mergePolicy(settings, session, deps).mode(source.route) !== "interrupt") return;
    const policy = (now: typeof session) => mergePolicy(settings, now, deps);
    const interrupted = await store.step(interruptTurn, { turnId: turn.id, fence: turn.fence, policy });
    if (interrupted) liveTurns.abort([sessionKey], "interrupted");
  };
  const safely = (): void => {
    look().catch((error: unknown) =>
      log.warn({ err: error, session: sessionKey }, "could not look for an interruption"),
    );
  };
  live.onNudge(safely);
  if (result !== "begun") safely();
}

/** A forward is held for a moment for further ones before it waits for a turn. */
const YOUNG_TURN_MS = 4 * SENT_TOGETHER_MS;

/** Longest quote shown, in UTF-16 units; the quoted message itself is in the transcript or on the platform. */
const MAX_QUOTE = 500;

/** A time as the agent's people read it. */
export type TimeText = (at: number) => string;

/**
 * What an agent reads of a person's message (IN-10): who wrote where and when, unaddressed messages before it, the quoted
 * one, forwarded words, the text, and which files could not be had (the others are parts of the message). Every part that comes from people
 * is escaped, so that none can imitate an envelope. A `plain` message has no head.
 */
export function eventText(item: Pick<InboxItem, "route">, payload: EventPayload, timeText: TimeText): string {
  const quotes = [...(payload.reply === null ? [] : [replyLine(payload.reply)]), ...quoteLines(payload.quotes ?? [])];
  const words = escapeMarkers(payload.text);
  const body = [
    ...quotes,
    // Without the empty line the sender's own `>` would read as part of the quote above it.
    quotes.length > 0 && /^\n*>/.test(words) ? `\n${words}` : words,
    ...payload.attachmentNotes.map((note) => messageEnvelope.attachment(promptLine(note))),
  ];
  const head = payload.plain ? [] : [contextLines(payload.context), headLine(item, payload, timeText)];
  return [...head, ...body].filter((line) => line !== null && line !== "").join("\n");
}

function headLine({ route }: Pick<InboxItem, "route">, payload: EventPayload, timeText: TimeText): string {
  const channel = route?.channel ?? "unknown";
  const sender = `${promptName(payload.senderName)} (${channel}:${promptName(payload.senderId)})`;
  const { conversationLabel: label } = payload;
  // A direct chat is named after its person.
  const where = label === null || label === payload.senderName ? null : promptName(label);
  return messageEnvelope.head(sender, where, timeText(payload.sentAt));
}

function contextLines(context: EventPayload["context"]): string | null {
  if (context.length === 0) return null;
  const lines = context.map(({ senderName, text }) => promptEntry(senderName, text));
  return [messageEnvelope.context, ...lines].join("\n");
}

function replyLine({ senderName, text }: NonNullable<EventPayload["reply"]>): string {
  const short = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
  return `${messageEnvelope.replyingTo(promptName(senderName))}\n${promptQuote(short)}`;
}

/** FC-208: other people's words in a message, complete, each with its author and place. */
function quoteLines(quotes: readonly QuotedWords[]): readonly string[] {
  return quotes.map(({ kind, from, origin, text }) => {
    const mark = quoteMarks[kind](from === "" ? "" : promptName(from), origin === null ? null : promptName(origin));
    return text === "" ? mark : `${mark}\n${promptQuote(text)}`;
  });
}
