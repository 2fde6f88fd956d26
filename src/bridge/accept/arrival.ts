import type { RenderedPiece } from "../../core/delivery/delivery.ts";
import { conversationKey } from "../../core/delivery/delivery.ts";
import { type AccountId, type ChannelId, encodeId } from "../../core/ids.ts";
import {
  admissionFacts,
  factsOf,
  type InboundAttachment,
  type InboundEvent,
  identityKey,
} from "../../core/message/inbound-event.ts";
import type { CommandPayload, EventPayload } from "../../core/message/inbox-item.ts";
import type { Provenance } from "../../core/message/transcript.ts";
import type { Runtime } from "../../core/runtime.ts";
import type { ThinkingLevel } from "../../core/session/session.ts";
import type { AccountSettings, Settings } from "../../core/settings.ts";
import type { LocalTime } from "../../core/time.ts";
import type { ChannelDoor } from "../../routing/admission.ts";
import type { RoutingIndex } from "../../routing/agent-rules.ts";
import type { CommandGate, RecognisedCommand } from "../../routing/command-gate.ts";
import type { StoredFacts } from "../../routing/decide.ts";
import type { EventRow, Expected } from "../../store/parts/event-row.ts";
import type { AcceptFacts, KnownEvent, SharedCommand } from "../../store/reads/inbound/accept-facts.ts";
import type { Store } from "../../store/store.ts";
import type { RateLedger } from "./rate-ledger.ts";
import { triage } from "./release.ts";
import { limitedText, wordsWithFiles } from "./shown-text.ts";

export interface AcceptDeps extends Pick<Runtime, "clock" | "log"> {
  readonly store: Store;
  /** The settings that hold now; a reload gives another object. */
  settings(): Settings;
  door(channel: ChannelId): ChannelDoor;
  /** How far this machine's clock is ahead of an account's platform (FC-320). */
  clockAheadMs(account: { readonly channel: ChannelId; readonly accountId: AccountId }): number;
  readonly localTime: LocalTime;
  /** Every name and alias of the command registry → the command's own name. */
  readonly commandNames: ReadonlyMap<string, string>;
  /** How the operator runs the command line (FC-333). */
  readonly commandLine: CommandLine;
  /** Whether a command with these arguments starts model work (FC-403). */
  readonly startsWork: (name: string, args: string) => boolean;
  /** A short line to a person in the account's own format. */
  renderNotice(account: { readonly channel: ChannelId; readonly accountId: AccountId }, text: string): RenderedPiece;
}

/** `exact`: for the operator; `shown`: what a stranger may read, without paths outside the program's folder. */
export interface CommandLine {
  readonly exact: string;
  readonly shown: string;
}

/** One event on its way in, with all that its decision rests on. */
export interface Arrival {
  readonly deps: AcceptDeps;
  readonly event: InboundEvent;
  readonly account: AccountSettings;
  readonly index: RoutingIndex;
  readonly commands: CommandGate;
  readonly facts: AcceptFacts;
  /** A command that names no bot, where other accounts may hear it too, and the account it belongs to (CM-17); null: any other message. */
  readonly shared: { readonly command: SharedCommand; readonly isFor: AccountId | null } | null;
  readonly rates: RateLedger;
  readonly now: number;
  /** The same moment by the platform's clock, which made `sentAt` (FC-320). */
  readonly platformNow: number;
  /** It was held, or its sender has been allowed since: the refusal is decided again. */
  readonly isHeld: boolean;
}

/** A message as it is decided: the first time, or again with facts a later arrival or an edit brought. */
export interface Undecided {
  readonly arrival: Arrival;
  readonly row: EventRow;
  /** What is stored of it already. */
  readonly known: KnownEvent | null;
  /** The edit that has it decided again. */
  readonly edit: EventRow | null;
}

/** What the conversation is bound to, where bindings are switched on (TB-4); null: nothing. */
export function boundHere({ facts, account }: Arrival): AcceptFacts["bound"] {
  return account.threadBindings.enabled ? facts.bound : null;
}

/** The stored side of a decision, from the one read. */
export function storedFacts(arrival: Arrival): StoredFacts {
  const { facts, rates, event, now } = arrival;
  return {
    paired: { paired: facts.paired, owner: facts.pairedOwner, listed: facts.listed, listedHere: facts.listedHere },
    pairedOwners: facts.pairedOwners,
    formerPeerId: facts.movedFrom,
    bound: boundHere(arrival)?.sessionKey ?? null,
    activation: facts.activation,
    participated: facts.participated,
    commandIsFor: arrival.shared?.isFor ?? null,
    albumAddressed: facts.album.some((part) => part.result === "accepted" || part.result === "merged"),
    botTurnsSinceHuman: facts.botTurnsSinceHuman,
    senderRate: rates.counted(
      event,
      {
        started: facts.started,
        commands: facts.commands,
        refused: facts.rateRefused,
      },
      now,
    ),
  };
}

export function expectedOf(known: KnownEvent | null): Expected {
  return known === null ? null : { result: known.result, inboxSeq: known.inboxSeq };
}

/** How long an album may take to arrive after its latest part, in milliseconds. */
const ALBUM_WAIT_MS = 700;
/** How long a text of full length waits for its continuation (IN-13). */
const CONTINUATION_WAIT_MS = 1_500;

/** How long a forward waits for further ones and for the comment that was sent with it (FC-209). */
const FORWARD_WAIT_MS = 300;

function limitedQuotes({ quotes = [] }: InboundEvent): Pick<EventPayload, "quotes"> {
  return quotes.length === 0 ? {} : { quotes: quotes.map((one) => ({ ...one, text: limitedText(one.text) })) };
}

/** The album's key: albums of two conversations never meet. */
export function albumKey(event: InboundEvent): string | null {
  return event.albumId === null ? null : `${conversationKey(event.route)}/${encodeId(event.albumId)}`;
}

/** `identity`: another message's, when an edit stands for the message it changed. */
export function eventRow(event: InboundEvent, identity: string = identityKey(event.identity)): EventRow {
  return {
    identity,
    channel: event.route.channel,
    accountId: event.accountId,
    conversation: conversationKey(event.route),
    messageId: event.identity.messageId,
    senderId: event.sender.id,
    fromBot: event.sender.isBot,
    facts: factsOf(event),
    album: albumKey(event),
    link: event.link,
  };
}

export function humanProvenance(event: InboundEvent): Provenance {
  const { route, sender, identity } = event;
  return {
    kind: "human",
    sender: { channel: route.channel, accountId: route.accountId, id: sender.id },
    senderName: sender.name,
    messageId: identity.messageId,
  };
}

export interface MessageInput {
  readonly event: InboundEvent;
  readonly identity: string;
  readonly text: string;
  readonly thinking: ThinkingLevel | null;
  readonly plain: boolean;
  /** Attachments of earlier, unaddressed parts of the album, with the identities they came by. */
  readonly earlier: readonly (InboundAttachment & { readonly identity: string })[];
  readonly settings: Settings;
  readonly now: number;
}

/** A person's message as an input (IN-10), with what it must still wait for before a turn may take it. */
export function messagePayload(input: MessageInput): EventPayload {
  const { event, identity, settings, now } = input;
  const { fetch, notes } = triage(event.attachments, settings.media.maxBytes);
  const quoted = triage(event.replyTo?.attachments ?? [], settings.media.maxBytes);
  const quotedIdentity = identityKey({
    ...{ ...event.identity, messageId: event.replyTo?.messageId ?? "" },
    ...{ kind: "message", version: "0" },
  });
  const text = limitedText(input.text);
  const quotes = limitedQuotes(event);
  const label = "label" in event.thread ? event.thread.label : null;
  const places = [event.peer.label, label].filter((part) => part !== null);
  return {
    kind: "event",
    text,
    senderName: event.sender.name,
    senderId: event.sender.id,
    messageId: event.identity.messageId,
    conversationLabel: places.length === 0 ? null : places.join(" / "),
    sentAt: event.sentAt,
    reply: event.replyTo === null ? null : { senderName: event.replyTo.senderName, text: quotedText(event.replyTo) },
    ...quotes,
    attachments: [],
    attachmentNotes: [...quoted.notes, ...notes],
    context: [],
    directives: { thinking: input.thinking },
    plain: input.plain,
    admission: admissionFacts(event),
    gathering: {
      album: albumKey(event),
      ...burst(event, settings, now),
      attachments: [
        ...quoted.fetch.map((attachment) => ({ ...attachment, identity: quotedIdentity })),
        ...input.earlier,
        ...fetch.map((attachment) => ({ ...attachment, identity })),
      ],
      parts: [{ identity, text, ...quotes }],
    },
  };
}

/** How long the input is held for more of it (IN-12, IN-13). Media are no part of a burst, unless they are forwarded. */
function burst(event: InboundEvent, settings: Settings, now: number): { debounce: boolean; until: number } {
  if (event.albumId !== null) return { debounce: false, until: now + ALBUM_WAIT_MS };
  if (event.forwarded) return { debounce: true, until: now + FORWARD_WAIT_MS };
  const { debounceMs } = settings.messages;
  const wait = Math.max(debounceMs, event.fullLength ? CONTINUATION_WAIT_MS : 0);
  if (event.attachments.length > 0 || wait === 0) return { debounce: false, until: 0 };
  return { debounce: true, until: now + wait };
}

export function commandPayload(event: InboundEvent, command: RecognisedCommand, denied: string | null): CommandPayload {
  return {
    kind: "command",
    name: command.name,
    args: limitedText(command.args),
    native: command.native,
    interactionId: command.interactionId,
    denied,
    direct: event.peer.kind === "direct",
    senderName: event.sender.name,
    senderId: event.sender.id,
    messageId: event.identity.messageId,
    ...(event.replyTo === null ? {} : { repliesTo: event.replyTo.messageId }),
    sentAt: event.sentAt,
    admission: admissionFacts(event),
  };
}

function quotedText({ text, attachments = [] }: NonNullable<InboundEvent["replyTo"]>): string {
  // Where it has no words its files are named already.
  const isNamed = attachments.some(({ name }) => text.includes(name));
  return limitedText(isNamed ? text : wordsWithFiles(text, attachments));
}
