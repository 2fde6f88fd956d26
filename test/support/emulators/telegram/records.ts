import type {
  TelegramBotCommand,
  TelegramChat,
  TelegramMessage,
  TelegramReactionType,
  TelegramUser,
} from "@gramio/types/objects";
import type { UpdateQueue } from "./update-queue.ts";

/** One bot account of the emulated platform. */
export interface BotRecord {
  token: string;
  user: TelegramUser;
  facts: BotFacts;
  /** The token was revoked: every request is refused with 401. */
  revoked: boolean;
  updates: UpdateQueue;
  webhook: WebhookSettings | null;
  /** Command lists by scope and language (`<scope json>|<language>`). */
  commands: Map<string, TelegramBotCommand[]>;
}

export interface BotFacts {
  /** Privacy mode is off: the bot sees every message of its groups. */
  canReadAllGroupMessages: boolean;
  /** Private chats with this bot have topics. */
  hasTopicsEnabled: boolean;
  /** Whether a plain mention passes privacy mode (switch off to see what a bot misses where it does not). */
  mentionsPassPrivacy: boolean;
  /** Whether messages of other bots in a group reach this bot. */
  seesOtherBots: boolean;
}

export interface WebhookSettings {
  url: string;
  secretToken: string | null;
  maxConnections: number;
  lastError: { date: number; message: string } | null;
}

export type ChatKind = "private" | "group" | "supergroup" | "channel";

export interface Member {
  user: TelegramUser;
  status: "creator" | "administrator" | "member" | "left" | "kicked";
  canManageTopics: boolean;
  canDeleteMessages: boolean;
}

export interface TopicRecord {
  threadId: number;
  name: string;
  iconColor: number;
  iconCustomEmojiId: string | undefined;
  state: "open" | "closed" | "deleted";
}

export interface StoredMessage {
  /** Order over all chats of one emulator. */
  seq: number;
  /** When it was stored, milliseconds since the epoch with fraction. */
  at: number;
  message: TelegramMessage;
  /** The conversation inside the chat: a forum topic's thread id, or null. */
  topicId: number | null;
  /** Author's id: a user or bot, or the channel itself. */
  authorId: number;
  deleted: boolean;
  /** Earlier forms, oldest first; grows with every edit. */
  earlier: TelegramMessage[];
  reactions: Map<number, TelegramReactionType[]>;
}

export interface ChatAction {
  seq: number;
  at: number;
  botId: number;
  action: string;
  threadId: number | null;
}

export interface Draft {
  seq: number;
  at: number;
  botId: number;
  draftId: number;
  threadId: number | null;
  text: string;
}

/** One chat. A private chat exists once per pair of bot and user, although its id is the user's id for every bot. */
export interface ChatRecord {
  kind: ChatKind;
  chat: TelegramChat;
  /** Private chats: the bot of the pair. */
  botId: number | null;
  members: Map<number, Member>;
  topics: Map<number, TopicRecord>;
  messages: Map<number, StoredMessage>;
  nextMessageId: number;
  actions: ChatAction[];
  drafts: Draft[];
  /** The user of a private chat has blocked the bot. */
  blocked: boolean;
  /** Set when a basic group was upgraded. */
  migratedTo: number | null;
  /** The bot that wrote last, for commands without a name. */
  lastBotSpeaker: number | null;
  /** Reading position of the test language's `botSays`, by topic. */
  readUpTo: Map<number | null, number>;
}

/** A pressed inline button and what the bot answered. */
export interface CallbackRecord {
  id: string;
  botId: number;
  user: TelegramUser;
  data: string;
  answer: { text?: string; show_alert?: boolean; url?: string } | null;
}
