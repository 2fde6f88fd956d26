import type { Route } from "../delivery/delivery.ts";
import { type AccountId, type ChannelId, encodeId } from "../ids.ts";

/** What makes two platform events the same one (IN-2). Never the text. `botId` is the bot's own platform id. */
export interface EventIdentity {
  readonly channel: ChannelId;
  readonly botId: string;
  readonly conversation: string;
  readonly messageId: string;
  readonly kind: InboundKind;
  /** `0` for the first version; for an edit the value by which the platform orders edits. */
  readonly version: string;
}

export type InboundKind = "message" | "command" | "edit" | "delete" | "reaction" | "thread_changed";

/**
 * What happened to the thread an event's route names; with `threadId` null, to the whole conversation and every thread in it
 * (TB-6). `unarchived`: it takes messages again (also unlocked, or a topic opened again). `bot_removed`: kicked, blocked, or
 * without access. An archived thread that a message reopens immediately is not an event.
 */
export interface ThreadChange {
  readonly what: "archived" | "locked" | "unarchived" | "deleted" | "bot_removed";
}

export function identityKey(id: EventIdentity): string {
  return [id.channel, id.botId, id.conversation, id.messageId, id.kind, id.version].map(encodeId).join("/");
}

export interface Peer {
  readonly kind: "direct" | "group" | "channel";
  /** The platform's own id; for a DM the other person's id. */
  readonly id: string;
  readonly label: string | null;
  /** The event did not say what kind of chat it is (Slack's `app_mention`); an arrival that does say decides (IN-2). */
  readonly kindGuessed?: true;
}

/**
 * Where in the peer the message stands (SK-5, SK-8, SK-9):
 * `none`: at top level (also Telegram's General topic and reply chains outside forums);
 * `thread`/`topic`: inside one; `root`: a top-level message whose visible thread, if the bot answers in one, has this id.
 */
export type ThreadFacts =
  | { readonly kind: "none" }
  | {
      readonly kind: "thread" | "topic" | "root";
      readonly id: string;
      readonly label: string | null;
      /** The parent cannot hold messages itself (a Discord forum): its session announces nowhere (SK-5). */
      readonly parentHoldsNoMessages?: true;
    };

export interface InboundSender {
  readonly id: string;
  readonly name: string;
  readonly username: string | null;
  readonly isBot: boolean;
  /** The message was written by this very bot account. */
  readonly isSelf: boolean;
  readonly roleIds: readonly string[];
}

export interface MentionFacts {
  /** The text contains a platform mention of this bot. */
  readonly bot: boolean;
  /** The message is a reply to one of this bot's messages. */
  readonly replyToBot: boolean;
  /** A platform mention or a command suffix (`/x@otherbot`) addresses someone else, and not this bot. */
  readonly otherOnly: boolean;
}

export interface InboundAttachment {
  /** The platform's own file id or URL; only the adapter can fetch it. */
  readonly ref: string;
  readonly name: string;
  readonly mime: string | null;
  readonly bytes: number | null;
  readonly kind: "image" | "file" | "voice" | "video" | "audio" | "sticker";
}

/** Words in a message that are not its sender's own (FC-208). The agent reads them as data; nothing looks for commands in them. */
export interface QuotedWords {
  /** `forward`: another person's message; `inline`: what a bot wrote for the sender; `preview`: a linked page or app. */
  readonly kind: "forward" | "inline" | "preview";
  /** Who wrote them; empty: the platform does not say. */
  readonly from: string;
  /** Where they were written: a channel's name, a link to the post; null: the platform does not say. */
  readonly origin: string | null;
  readonly text: string;
}

export interface ReplyFacts {
  readonly messageId: string;
  readonly senderName: string;
  readonly text: string;
  readonly fromBot: boolean;
  /** The files of the quoted message (FC-205); absent: none. */
  readonly attachments?: readonly InboundAttachment[];
}

/** A platform event in the product's own words; an adapter's `inbound.ts` makes it, purely (IN-1). */
export interface InboundEvent {
  readonly identity: EventIdentity;
  readonly kind: InboundKind;
  readonly accountId: AccountId;
  /** Where an answer goes. For `root` thread facts the routing decides whether its `threadId` is set. */
  readonly route: Route;
  readonly peer: Peer;
  readonly thread: ThreadFacts;
  /** The identity key of the message that the thread hangs on (FC-206); absent: none, or the platform does not say. */
  readonly threadRoot?: string;
  /** The space around the peer: a Discord guild, a Slack team. */
  readonly guildId: string | null;
  readonly teamId: string | null;
  readonly sender: InboundSender;
  readonly mentions: MentionFacts;
  /** The text with the bot's own mention token removed, verbatim otherwise. */
  readonly text: string;
  readonly attachments: readonly InboundAttachment[];
  readonly replyTo: ReplyFacts | null;
  /** The message as a whole is a forward: its words are in `quotes`, and `text` is empty. */
  readonly forwarded: boolean;
  /** Words in the message that are not the sender's own; absent: none. */
  readonly quotes?: readonly QuotedWords[];
  /** Several parts of one album share this id and become one input (IN-12). */
  readonly albumId: string | null;
  /** Why this message starts nothing, for `/why`: nothing in it is content of a person. Absent: it is decided (IN-17). */
  readonly startsNothing?: string;
  /** For `edit` and `delete`: the identity key of the message meant. */
  readonly target: string | null;
  /** For `thread_changed`: what changed. Its sender is never asked for access, and its text is empty. */
  readonly threadChange?: ThreadChange;
  /** A native command call (interaction, menu): its name and raw arguments. Text commands are found by the core. */
  readonly command: { readonly name: string; readonly args: string; readonly interactionId?: string } | null;
  /** The text is as long as the platform allows, so a continuation may follow (IN-13). */
  readonly fullLength: boolean;
  readonly sentAt: number;
  /** A link to or printable id of the message for `/why`. */
  readonly link: string | null;
}

/** The result of an event (IN-17). `refused` and similar results carry the rule that decided, for `/why`. */
export type AcceptResult =
  | {
      readonly result: "accepted" | "command" | "merged" | "kept";
      readonly sessionKey: string | null;
      readonly rule: string;
    }
  | { readonly result: "duplicate" | "refused" | "ignored" | "stale"; readonly rule: string };

/** The facts of an event that one arrival may bring and another lack (IN-2): Slack's `message` and `app_mention` of one post. */
export interface EventFacts {
  readonly mention: boolean;
  readonly replyToBot: boolean;
  readonly otherOnly: boolean;
  readonly peerKind: Peer["kind"];
  readonly peerGuessed: boolean;
  readonly attachments: readonly InboundAttachment[];
  /** The names its sender was shown by, the displayed one first; absent: a row of an older release. */
  readonly senderNames?: readonly string[];
}

/** Who writes where: all that the access rules look at, never what the person says (IN-15). */
export interface AdmissionFacts {
  readonly sender: Pick<InboundSender, "id" | "isBot" | "isSelf" | "roleIds">;
  readonly peer: Pick<Peer, "kind" | "id">;
  readonly thread: { readonly kind: "none" } | { readonly kind: "thread" | "topic" | "root"; readonly id: string };
  readonly guildId: string | null;
  readonly mentions: Pick<MentionFacts, "bot">;
}

/** What is stored with an input, so that the rules can be applied again when it is read (IN-18). */
export function admissionFacts({ sender, peer, thread, guildId, mentions }: InboundEvent): AdmissionFacts {
  return {
    sender: { id: sender.id, isBot: sender.isBot, isSelf: sender.isSelf, roleIds: sender.roleIds },
    peer: { kind: peer.kind, id: peer.id },
    thread: thread.kind === "none" ? { kind: "none" } : { kind: thread.kind, id: thread.id },
    guildId,
    mentions: { bot: mentions.bot },
  };
}

export function factsOf(event: InboundEvent): EventFacts {
  const names = [event.sender.name, event.sender.username ?? ""];
  return {
    senderNames: [...new Set(names.map((name) => name.replace(/\s+/g, " ").trim()))].filter((name) => name !== ""),
    mention: event.mentions.bot,
    replyToBot: event.mentions.replyToBot,
    otherOnly: event.mentions.otherOnly,
    peerKind: event.peer.kind,
    peerGuessed: event.peer.kindGuessed === true,
    attachments: event.attachments,
  };
}

/** Both arrivals together: what either knows holds, and a chat type that was said wins over a guessed one. */
export function unionFacts(before: EventFacts, later: EventFacts): EventFacts {
  const mention = before.mention || later.mention;
  const knows = before.peerGuessed && !later.peerGuessed ? later : before;
  const refs = new Set(before.attachments.map((attachment) => attachment.ref));
  return {
    ...before,
    mention,
    replyToBot: before.replyToBot || later.replyToBot,
    otherOnly: !mention && (before.otherOnly || later.otherOnly),
    peerKind: knows.peerKind,
    peerGuessed: knows.peerGuessed,
    attachments: [...before.attachments, ...later.attachments.filter(({ ref }) => !refs.has(ref))],
  };
}

export function sameFacts(a: EventFacts, b: EventFacts): boolean {
  return (
    a.mention === b.mention &&
    a.replyToBot === b.replyToBot &&
    a.otherOnly === b.otherOnly &&
    a.peerKind === b.peerKind &&
    a.peerGuessed === b.peerGuessed &&
    a.attachments.length === b.attachments.length
  );
}

/** The event as if one arrival had brought all its facts. */
export function withFacts(event: InboundEvent, facts: EventFacts): InboundEvent {
  const { kindGuessed: _guessed, ...peer } = event.peer;
  return {
    ...event,
    peer: facts.peerGuessed ? { ...event.peer, kind: facts.peerKind } : { ...peer, kind: facts.peerKind },
    mentions: { bot: facts.mention, replyToBot: facts.replyToBot, otherOnly: facts.otherOnly },
    attachments: facts.attachments,
  };
}
