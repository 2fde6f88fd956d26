import type { GatewaySession } from "./gateway/session.ts";
import type { APIApplicationCommand, APIMessage, APIUser, ChannelType, GuildForumTag } from "./wire-types.ts";

/** One application with its bot account. Both have the same id. */
export interface BotRecord {
  token: string;
  user: APIUser;
  facts: BotFacts;
  /** The token was reset: every request is refused with 401. */
  revoked: boolean;
  /** Gateway sessions that can be resumed or are connected. */
  sessions: Set<GatewaySession>;
  /** How often this bot has identified. */
  identifies: number;
  /** How many logins are left, and when they are counted anew. */
  logins: { left: number; resetsAt: number };
  /** How many shards the gateway recommends. */
  shards: number;
  /** What an event goes through before it is numbered. */
  distortions: Set<Distortion>;
  /** So many resumes are cut in the middle of what they bring again. */
  partialReplays: number;
  /** Commands by scope: `global`, or a guild's id. */
  commands: Map<string, APIApplicationCommand[]>;
}

/** Called with an event's name and what passes it on; it may do so at once, later, more than once. */
export type Distortion = (event: string, goes: () => void) => void;

/** What is switched on for the bot in the developer portal. */
export interface BotFacts {
  /** Privileged intent MESSAGE_CONTENT. */
  messageContent: boolean;
  /** Privileged intent GUILD_MEMBERS. */
  guildMembers: boolean;
  /** Privileged intent GUILD_PRESENCES. */
  presences: boolean;
}

export interface RoleRecord {
  id: string;
  name: string;
  permissions: bigint;
  position: number;
  /** The bot a managed role belongs to. */
  botId: string | null;
}

export interface MemberRecord {
  user: APIUser;
  nick: string | null;
  roles: string[];
  joinedAt: string;
}

export interface GuildRecord {
  id: string;
  name: string;
  ownerId: string;
  roles: Map<string, RoleRecord>;
  members: Map<string, MemberRecord>;
  /** An outage: the guild is there but cannot be used. */
  unavailable: boolean;
  deleted: boolean;
}

export interface Overwrite {
  id: string;
  type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export interface ThreadFacts {
  ownerId: string;
  archived: boolean;
  locked: boolean;
  invitable: boolean;
  /** Minutes without activity. */
  autoArchiveDuration: number;
  archiveTimestamp: string;
  createdAt: string;
  /** Members by user id, with the time they joined. */
  members: Map<string, string>;
  appliedTags: string[];
  totalMessages: number;
}

/** Any channel: of a guild, a thread, or a direct message of one person and one bot. */
export interface ChannelRecord {
  id: string;
  type: ChannelType;
  name: string;
  guildId: string | null;
  parentId: string | null;
  topic: string | null;
  position: number;
  overwrites: Map<string, Overwrite>;
  tags: GuildForumTag[];
  /** Forum and media channels: a post needs a tag. */
  requireTag: boolean;
  /** Messages a member may write: one per this many seconds. */
  slowmode: number;
  thread: ThreadFacts | null;
  /** Direct messages: the two of them. */
  dm: { botId: string; user: APIUser; blocked: boolean; openedByUser: boolean } | null;
  messages: Map<string, StoredMessage>;
  typing: Typing[];
  deleted: boolean;
  /** Reading position of the test language's `botSays`, by reader (`null`: nobody in particular). */
  readUpTo: Map<string | null, number>;
}

export interface StoredMessage {
  /** Order over all channels of one emulator. */
  seq: number;
  /** When it was stored, milliseconds since the epoch with fraction. */
  at: number;
  message: APIMessage;
  authorId: string;
  deleted: boolean;
  /** Earlier forms, oldest first; grows with every edit. */
  earlier: APIMessage[];
  /** Who reacted, by emoji (`👍`, `name:id`), in the order of the first reaction. */
  reactions: Map<string, Set<string>>;
  /** Ephemeral: the only person who sees it. */
  onlyFor: string | null;
  /** The interaction it answers. */
  interactionId: string | null;
}

export interface Typing {
  seq: number;
  at: number;
  userId: string;
}

export interface FileRecord {
  id: string;
  name: string;
  mimeType: string;
  path: string;
  bytes: Uint8Array;
}

/** How far the answer to an interaction has come. */
export type InteractionState = "waiting" | "deferred" | "answered" | "failed";

export interface InteractionRecord {
  id: string;
  token: string;
  kind: "command" | "autocomplete" | "button";
  bot: BotRecord;
  user: APIUser;
  channel: ChannelRecord;
  createdAt: number;
  state: InteractionState;
  /** Type of the callback (4 message, 5 deferred, 6 deferred update, 7 update, 8 choices, 9 modal). */
  callbackType: number | null;
  /** The original answer; for a button: the message it is under. */
  originalId: string | null;
  /** Ids of the answer and its follow-ups, oldest first. */
  messageIds: string[];
  choices: { name: string; value: string | number }[] | null;
  modal: unknown;
}
