import type { TelegramChat, TelegramUser } from "@gramio/types/objects";
import { Signals } from "../signals.ts";
import type { BotFacts, BotRecord, CallbackRecord, ChatKind, ChatRecord, Member } from "./records.ts";
import { badRequest, forbidden, Refusal } from "./refusal.ts";
import { UpdateQueue } from "./update-queue.ts";

export interface FileRecord {
  fileId: string;
  uniqueId: string;
  name: string;
  mimeType: string;
  path: string;
  bytes: Uint8Array;
}

const FIRST_USER_ID = 100_000_001;
const FIRST_BOT_ID = 7_000_000_001;
const FIRST_GROUP_ID = -4_000_000_001;
const FIRST_SUPERGROUP_ID = -1_002_000_000_001;
const FIRST_UPDATE_ID = 500_000_001;

/** Everything that exists on the emulated platform. Holds state and finds things; the rules are in their own files. */
export class World {
  readonly signals = new Signals();
  readonly bots = new Map<string, BotRecord>();
  readonly users = new Map<number, TelegramUser>();
  readonly files = new Map<string, FileRecord>();
  readonly callbacks = new Map<string, CallbackRecord>();
  readonly clock: () => number;
  readonly #chats = new Map<string, ChatRecord>();
  #seq = 0;
  #counters = { user: 0, bot: 0, group: 0, supergroup: 0, file: 0, album: 0, query: 0 };

  /** `clock` gives milliseconds since the epoch. */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** Next number of a kind, from 0. */
  count(kind: "file" | "album" | "query"): number {
    const value = this.#counters[kind];
    this.#counters[kind] += 1;
    return value;
  }

  seconds(): number {
    return Math.floor(this.clock() / 1000);
  }

  addBot(options: { token?: string; name: string; username: string; id?: number; facts: BotFacts }): BotRecord {
    const fromToken = /^(\d+):/.exec(options.token ?? "")?.[1];
    const id = options.id ?? (fromToken === undefined ? FIRST_BOT_ID + this.#counters.bot : Number(fromToken));
    this.#counters.bot += 1;
    const token = options.token ?? `${id}:AA${options.username}-emulated-token`;
    if (this.bots.has(token)) throw new Error("there is already a bot with this token");
    const user: TelegramUser = { id, is_bot: true, first_name: options.name, username: options.username };
    const bot: BotRecord = {
      token,
      user,
      facts: options.facts,
      revoked: false,
      updates: new UpdateQueue(FIRST_UPDATE_ID),
      webhook: null,
      commands: new Map(),
    };
    this.bots.set(token, bot);
    this.users.set(id, user);
    return bot;
  }

  addUser(options: {
    name: string;
    lastName?: string;
    username?: string;
    id?: number;
    languageCode?: string;
  }): TelegramUser {
    const id = options.id ?? FIRST_USER_ID + this.#counters.user;
    this.#counters.user += 1;
    const user: TelegramUser = { id, is_bot: false, first_name: options.name };
    if (options.lastName !== undefined) user.last_name = options.lastName;
    if (options.username !== undefined) user.username = options.username;
    if (options.languageCode !== undefined) user.language_code = options.languageCode;
    this.users.set(id, user);
    return user;
  }

  botById(id: number): BotRecord | undefined {
    for (const bot of this.bots.values()) if (bot.user.id === id) return bot;
    return undefined;
  }

  userNamed(username: string): TelegramUser | undefined {
    const wanted = username.toLowerCase();
    for (const user of this.users.values()) if (user.username?.toLowerCase() === wanted) return user;
    return undefined;
  }

  addChat(
    kind: Exclude<ChatKind, "private">,
    options: { title: string; username?: string; id?: number; forum?: boolean },
  ): ChatRecord {
    const basic = kind === "group";
    const counter = basic ? "group" : "supergroup";
    const id = options.id ?? (basic ? FIRST_GROUP_ID : FIRST_SUPERGROUP_ID) - this.#counters[counter];
    this.#counters[counter] += 1;
    const chat: TelegramChat = { id, type: kind, title: options.title };
    if (options.username !== undefined) chat.username = options.username;
    if (options.forum === true) chat.is_forum = true;
    return this.#store(String(id), kind, chat, null);
  }

  /** The private chat of a user with a bot; made when it is first asked for. */
  privateChat(user: TelegramUser, bot: BotRecord): ChatRecord {
    const key = `${bot.user.id}:${user.id}`;
    const existing = this.#chats.get(key);
    if (existing !== undefined) return existing;
    const chat: TelegramChat = { id: user.id, type: "private", first_name: user.first_name };
    if (user.last_name !== undefined) chat.last_name = user.last_name;
    if (user.username !== undefined) chat.username = user.username;
    const record = this.#store(key, "private", chat, bot.user.id);
    this.setMember(record, user, { status: "member" });
    this.setMember(record, bot.user, { status: "member" });
    return record;
  }

  #store(key: string, kind: ChatKind, chat: TelegramChat, botId: number | null): ChatRecord {
    if (this.#chats.has(key)) throw new Error(`there is already a chat ${key}`);
    const record: ChatRecord = {
      kind,
      chat,
      botId,
      members: new Map(),
      topics: new Map(),
      messages: new Map(),
      // A supergroup's message 1 is its creation; 1 is also the General topic's id, so no topic may get it.
      nextMessageId: kind === "supergroup" ? 2 : 1,
      actions: [],
      drafts: [],
      blocked: false,
      migratedTo: null,
      lastBotSpeaker: null,
      readUpTo: new Map(),
    };
    this.#chats.set(key, record);
    return record;
  }

  setMember(chat: ChatRecord, user: TelegramUser, change: Partial<Omit<Member, "user">>): Member {
    const before = chat.members.get(user.id);
    const status = change.status ?? before?.status ?? "member";
    const admin = status === "administrator" || status === "creator";
    const member: Member = {
      user,
      status,
      canManageTopics: change.canManageTopics ?? admin,
      canDeleteMessages: change.canDeleteMessages ?? admin,
    };
    chat.members.set(user.id, member);
    return member;
  }

  chats(): Iterable<ChatRecord> {
    return this.#chats.values();
  }

  chatById(id: number, botId?: number): ChatRecord | undefined {
    if (id < 0) return this.#chats.get(String(id));
    if (botId !== undefined) return this.#chats.get(`${botId}:${id}`);
    for (const chat of this.#chats.values()) if (chat.kind === "private" && chat.chat.id === id) return chat;
    return undefined;
  }

  /**
   * The chat a bot names in a request, if the bot may use it. Refuses as the platform does: unknown (400),
   * upgraded (400 with the new id), kicked, left or blocked (403).
   */
  chatFor(bot: BotRecord, chatId: number | string): ChatRecord {
    const chat = typeof chatId === "number" ? this.chatById(chatId, bot.user.id) : this.#publicChat(chatId);
    const member = chat?.members.get(bot.user.id);
    if (chat === undefined || member === undefined) throw this.#unreachable(bot, chatId);
    if (chat.migratedTo !== null) {
      throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    if (chat.blocked) throw forbidden("bot was blocked by the user");
    if (member.status === "kicked") throw forbidden(`bot was kicked from the ${chat.kind} chat`);
    if (member.status === "left") throw forbidden(`bot is not a member of the ${chat.kind} chat`);
    return chat;
  }

  /** Bots cannot write first to a person, nor to a bot; of people they never met they know nothing. */
  #unreachable(bot: BotRecord, chatId: number | string): Refusal {
    const user = typeof chatId === "number" ? this.users.get(chatId) : undefined;
    if (user === undefined) return badRequest("chat not found");
    if (user.is_bot) return forbidden("bot can't send messages to bots");
    const met = [...this.#chats.values()].some((c) => c.members.has(user.id) && c.members.has(bot.user.id));
    return met ? forbidden("bot can't initiate conversation with a user") : badRequest("chat not found");
  }

  #publicChat(name: string): ChatRecord | undefined {
    if (/^-?\d+$/.test(name)) return this.chatById(Number(name));
    const wanted = name.replace(/^@/, "").toLowerCase();
    for (const chat of this.#chats.values()) {
      if (chat.kind !== "private" && chat.chat.username?.toLowerCase() === wanted) return chat;
    }
    return undefined;
  }

  addFile(name: string, mimeType: string, bytes: Uint8Array, folder: string): FileRecord {
    const number = this.count("file");
    const extension = /\.[A-Za-z0-9]+$/.exec(name)?.[0] ?? "";
    const file: FileRecord = {
      fileId: `BQACAgIAAxkEmulated${number}`,
      uniqueId: `AgADEmulated${number}`,
      name,
      mimeType,
      path: `${folder}/file_${number}${extension}`,
      bytes,
    };
    this.files.set(file.fileId, file);
    return file;
  }
}
