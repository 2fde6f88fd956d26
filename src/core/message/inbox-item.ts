import type { Route } from "../delivery/delivery.ts";
import type { CallId, RunId, TurnId } from "../ids.ts";
import type { Rights } from "../session/rights.ts";
import type { Chain, ExchangeStage } from "../session/run.ts";
import type { SessionKey } from "../session/session-key.ts";
import type { AdmissionFacts, InboundAttachment, QuotedWords } from "./inbound-event.ts";
import type { Provenance, StoredAttachment } from "./transcript.ts";

/**
 * `held`: its session's place is not ready (thread creation, attachment fetch, debounce); `waiting`: the next turn may take
 * it; `claimed`: it is in the transcript of an open turn; `consumed` and `withdrawn` are terminal.
 */
export type InboxState = "held" | "waiting" | "claimed" | "consumed" | "withdrawn";

/** What an input says, ready for the transcript. */
export type InboxPayload =
  /** A person's message: the envelope of IN-10 is built from these facts when the turn begins. */
  | {
      readonly kind: "event";
      readonly text: string;
      readonly senderName: string;
      readonly senderId: string;
      readonly messageId: string;
      readonly conversationLabel: string | null;
      readonly sentAt: number;
      readonly reply: { readonly senderName: string; readonly text: string } | null;
      /** Forwarded and other words in it that are not the sender's own (FC-208); absent: none. */
      readonly quotes?: readonly QuotedWords[];
      readonly attachments: readonly StoredAttachment[];
      /** One line per attachment that could not be given: the file's name and why (IN-12). */
      readonly attachmentNotes: readonly string[];
      /** Unaddressed messages kept since the last turn, oldest first (IN-7). */
      readonly context: readonly { readonly senderName: string; readonly text: string }[];
      /** Directives that apply to this message only (CM-7). */
      readonly directives: { readonly thinking: string | null };
      /** The web page and the CLI show the operator's words as they are, without envelope lines. */
      readonly plain: boolean;
      /** For the access rules as they are when it is read (IN-18); absent: a row of an older release. */
      readonly admission?: AdmissionFacts;
      /** Set while more may still join the input: a held one, and until it is claimed an album or merged one. */
      readonly gathering?: Gathering;
    }
  /** A command to run once (CM-2): it never enters a transcript. Its row survives a crash between storing and running it. */
  | CommandPayload
  /** The first input of a sub-agent (SP-4). */
  | { readonly kind: "task"; readonly text: string; readonly from: SessionKey; readonly chain?: Chain }
  /** Guidance put into a running child by its parent or a person (SB-2). */
  | { readonly kind: "steer"; readonly text: string; readonly from: string; readonly chain?: Chain }
  | {
      readonly kind: "inter_session";
      readonly text: string;
      readonly from: SessionKey;
      readonly fromChannel: string | null;
      readonly stage: ExchangeStage;
      readonly chain: Chain;
    }
  | {
      readonly kind: "completion";
      readonly runIds: readonly RunId[];
      readonly text: string;
      readonly from: SessionKey;
      /** The chain of the turn that spawned (ST-24): work passed to a sub-agent does not begin a new one. */
      readonly chain: Chain | null;
    }
  /** One line for the session's next turn; never starts one by itself unless `wakes`. */
  | { readonly kind: "notice"; readonly text: string; readonly wakes: boolean; readonly chain?: Chain };

/** The chain that an input goes on with (ST-28); null: a person's words or the clock, or a row of an older release. */
export function chainOfInput(payload: InboxPayload): Chain | null {
  return "chain" in payload ? (payload.chain ?? null) : null;
}

/** One platform message inside an input of several (album, debounce), so that an edit or a deletion finds its part (IN-11). */
export interface GatheredPart {
  /** The identity key of the message. */
  readonly identity: string;
  readonly text: string;
  readonly quotes?: readonly QuotedWords[];
}

/** What is still expected before an input may be claimed, and what it is made of (IN-12, IN-13). */
export interface Gathering {
  /** The album it collects; null: none. */
  readonly album: string | null;
  /** Texts of the same sender may join until `until`. */
  readonly debounce: boolean;
  /** Not released before this time, in milliseconds since the epoch. */
  readonly until: number;
  /** Attachments not fetched yet, each with the identity key of its message. */
  readonly attachments: readonly GatheredAttachment[];
  readonly parts: readonly GatheredPart[];
  /** The first message of its thread is not known and has to be asked for (FC-206). */
  readonly rootMissing?: true;
}

export type GatheredAttachment = InboundAttachment & { readonly identity: string };

export interface CommandPayload {
  readonly kind: "command";
  /** The registry's own name, aliases resolved. */
  readonly name: string;
  readonly args: string;
  /** Called through the platform's own command surface (interaction, menu), not written as text. */
  readonly native: boolean;
  /** What a native call is answered by; null for text. */
  readonly interactionId: string | null;
  /** The rule that keeps this sender from using commands at all (CM-8); null: none. */
  readonly denied: string | null;
  /** Written in a direct conversation, where a refusal may be answered (CM-5). */
  readonly direct: boolean;
  readonly senderName: string;
  readonly senderId: string;
  readonly messageId: string;
  /** For the access rules as they are when it runs (IN-18); absent: a row of an older release. */
  readonly admission?: AdmissionFacts;
  /** The message it was written as a reply to; absent: none. */
  readonly repliesTo?: string;
  readonly sentAt: number;
}

export interface InboxItem {
  readonly seq: number;
  readonly key: string;
  readonly sessionKey: SessionKey;
  readonly state: InboxState;
  readonly payload: InboxPayload;
  readonly provenance: Provenance;
  /** Where the answer to it goes; null: nowhere outside. */
  readonly route: Route | null;
  readonly rights: Rights;
  readonly turnId: TurnId | null;
  /** The run that this input belongs to: a child's task, an accepted `sessions_send`. */
  readonly runId: RunId | null;
  readonly callId: CallId | null;
  /** The event identity or link of what caused it, for `/why`. */
  readonly cause: string | null;
  /** When the platform's message arrived, for the time to the first answer (OP-8). */
  readonly receivedAt: number;
  readonly createdAt: number;
}

export type EventPayload = Extract<InboxPayload, { readonly kind: "event" }>;
/** An input that is made of parts and may still change. */
export type GatheringPayload = EventPayload & { readonly gathering: Gathering };

export function isGathering(payload: InboxPayload): payload is GatheringPayload {
  return payload.kind === "event" && payload.gathering !== undefined;
}

/** What an input must still wait for: a later time, attachments that are not fetched, or its thread's first message. */
export function mustWait(payload: InboxPayload, now: number): boolean {
  if (!isGathering(payload)) return false;
  const { until, attachments, rootMissing } = payload.gathering;
  return until > now || attachments.length > 0 || rootMissing === true;
}

/** The payload as it is stored: one that nothing can join any more carries no traces of gathering. */
export function settledPayload(payload: EventPayload, now: number): EventPayload {
  if (payload.gathering === undefined || payload.gathering.album !== null || mustWait(payload, now)) return payload;
  if (payload.gathering.parts.length > 1) return payload;
  const { gathering: _gathering, ...settled } = payload;
  return settled;
}

function joinTexts(parts: readonly GatheredPart[]): string {
  return parts
    .map((part) => part.text)
    .filter((text) => text !== "")
    .join("\n");
}

/** The quotes of all parts, as a field that is absent when there are none. */
function joinQuotes(parts: readonly GatheredPart[]): { readonly quotes?: readonly QuotedWords[] } {
  const quotes = parts.flatMap((part) => part.quotes ?? []);
  return quotes.length === 0 ? {} : { quotes };
}

/** IN-12, IN-13: one more message of the same album or burst joins the input; nothing of either is lost. */
export function joinPayload(into: GatheringPayload, joining: GatheringPayload): GatheringPayload {
  const parts = [...into.gathering.parts, ...joining.gathering.parts];
  return {
    ...into,
    text: joinTexts(parts),
    ...joinQuotes(parts),
    // A burst is answered at its newest message; an album keeps the message that stands for it.
    messageId: into.gathering.album === null ? joining.messageId : into.messageId,
    reply: into.reply ?? joining.reply,
    attachments: [...into.attachments, ...joining.attachments],
    attachmentNotes: [...into.attachmentNotes, ...joining.attachmentNotes],
    context: [...into.context, ...joining.context],
    directives: { thinking: joining.directives.thinking ?? into.directives.thinking },
    gathering: {
      album: into.gathering.album,
      debounce: into.gathering.debounce && joining.gathering.debounce,
      // A burst waits as long as its newest message says, so the end of a long text ends the wait.
      until:
        into.gathering.album === null
          ? joining.gathering.until
          : Math.max(into.gathering.until, joining.gathering.until),
      attachments: [...into.gathering.attachments, ...joining.gathering.attachments],
      parts,
      ...(into.gathering.rootMissing === true ? { rootMissing: true as const } : {}),
    },
  };
}

/** Replaces the text of one message of the input (IN-11); null: it says the same already, or is no part of it. */
export function editPart(payload: EventPayload, identity: string, text: string): EventPayload | null {
  const { gathering } = payload;
  if (gathering === undefined) return payload.text === text ? null : { ...payload, text };
  const part = gathering.parts.find((known) => known.identity === identity);
  if (part === undefined || part.text === text) return null;
  const parts = gathering.parts.map((known) => (known === part ? { ...part, text } : known));
  return { ...payload, text: joinTexts(parts), gathering: { ...gathering, parts } };
}

/** Takes one message out of the input (IN-11); null: nothing of the input is left. */
export function removePart(payload: EventPayload, identity: string): EventPayload | null {
  const { gathering } = payload;
  if (gathering === undefined) return null;
  const parts = gathering.parts.filter((part) => part.identity !== identity);
  if (parts.length === 0) return null;
  const attachments = gathering.attachments.filter((attachment) => attachment.identity !== identity);
  const { quotes: _before, ...rest } = payload;
  return { ...rest, text: joinTexts(parts), ...joinQuotes(parts), gathering: { ...gathering, parts, attachments } };
}
