import type { TelegramMessage, TelegramMessageEntity, TelegramReactionType, TelegramUser } from "@gramio/types/objects";
import { plainEntities } from "./entities-plain.ts";
import { asCaption, asText } from "./formatted-text.ts";
import { botsIn, edit, post, remove, withoutWriting } from "./messages.ts";
import { type MessageRef, Place, textOf } from "./place.ts";
import type { ChatRecord } from "./records.ts";
import { type SentFile, sentMedia } from "./sent-files.ts";
import { openTopic } from "./topics.ts";
import type { World } from "./world.ts";

/** Anybody with a user account: a person, or a bot that writes into a group. */
export interface Speaker {
  readonly user: TelegramUser;
}

export interface SaysOptions {
  /** Addresses somebody: `@username ` before the text, or a text mention of who has no username. */
  mention?: Speaker;
  replyTo?: MessageRef;
  /** One file: a message with caption. Several: an album, the caption on its first message. */
  files?: SentFile[];
  /** Entities beyond those the platform finds by itself. */
  entities?: TelegramMessageEntity[];
  /** Anything else to put into the message as it is (forward_origin, quote, …). */
  extra?: Partial<TelegramMessage>;
}

export interface PressedButton {
  id: string;
  /** Waits until the bot answered the press. `within` milliseconds, default 15,000. */
  answer: (within?: number) => Promise<{ text?: string; show_alert?: boolean; url?: string }>;
}

/** One person (or bot) in one place: what they do there. Reading and waiting come from `Place`. */
export class Conversation extends Place {
  readonly speaker: Speaker;

  constructor(world: World, chat: ChatRecord, topicId: number | null, speaker: Speaker) {
    super(world, chat, topicId);
    this.speaker = speaker;
  }

  #checkMayWrite(): void {
    const status = this.chat.members.get(this.speaker.user.id)?.status;
    if (this.chat.migratedTo !== null) throw new Error("this group was upgraded: nobody can write in it");
    if (this.chat.blocked) throw new Error(`${this.speaker.user.first_name} has blocked this bot`);
    if (status === undefined || status === "left" || status === "kicked") {
      throw new Error(`${this.speaker.user.first_name} is not a member of this chat`);
    }
    const topic = this.topicId === null ? undefined : this.chat.topics.get(this.topicId);
    if (topic !== undefined && topic.state !== "open") throw new Error(`the topic is ${topic.state}`);
  }

  /** Writes a message. With several files: an album; the first of its messages is returned. */
  says(text: string, options: SaysOptions = {}): TelegramMessage {
    const [first] = this.#sends(text, options);
    if (first === undefined) throw new Error("nothing was said");
    return first;
  }

  /** Sends several files as one album; all its messages. */
  sendsAlbum(caption: string, files: SentFile[], options: Omit<SaysOptions, "files"> = {}): TelegramMessage[] {
    return this.#sends(caption, { ...options, files });
  }

  #sends(given: string, options: SaysOptions): TelegramMessage[] {
    this.#checkMayWrite();
    const { text, entities } = this.#addressed(given, options);
    const files = options.files ?? [];
    const group = files.length > 1 ? { media_group_id: `1400000000000${this.world.count("album")}` } : {};
    const written = { text, entities };
    const contents =
      files.length === 0
        ? [asText(written)]
        : files.map((file, index) => ({
            ...sentMedia(this.world, file),
            ...group,
            ...(index > 0 || text === "" ? {} : asCaption(written)),
          }));
    const replyTo = options.replyTo === undefined ? null : this.stored(options.replyTo);
    return contents.map((content) => {
      const whole = { ...content, ...options.extra };
      const author = this.chat.kind === "channel" ? null : this.speaker.user;
      return post(this.world, this.chat, { author, content: whole, topicId: this.topicId, replyTo }).message;
    });
  }

  #addressed(given: string, options: SaysOptions): { text: string; entities: TelegramMessageEntity[] } {
    const user = options.mention?.user;
    const extra = options.entities ?? [];
    if (user === undefined) return { text: given, entities: [...extra, ...plainEntities(given, extra)] };
    const name = user.username === undefined ? user.first_name : `@${user.username}`;
    const text = `${name} ${given}`;
    const moved = extra.map((entity) => ({ ...entity, offset: entity.offset + name.length + 1 }));
    if (user.username === undefined) moved.unshift({ type: "text_mention", offset: 0, length: name.length, user });
    return { text, entities: [...moved, ...plainEntities(text, moved)] };
  }

  /** Changes the text or caption of an own message. */
  edits(message: MessageRef, text: string): TelegramMessage {
    const stored = this.stored(message);
    const written = { text, entities: plainEntities(text) };
    const content = stored.message.text === undefined ? asCaption(written) : asText(written);
    edit(this.world, this.chat, stored, { ...withoutWriting(stored.message), ...content });
    return stored.message;
  }

  /** Deletes a message. Bots get no update: the Bot API has none. */
  deletes(message: MessageRef): void {
    remove(this.world, this.stored(message));
  }

  /** Reacts with an emoji, or takes the reaction back (null). Bots hear of it if they asked for it and may. */
  reacts(message: MessageRef, emoji: string | null): void {
    const stored = this.stored(message);
    const { user } = this.speaker;
    const before = stored.reactions.get(user.id) ?? [];
    // Any emoji may be given here; the types list the ones of today.
    const after = (emoji === null ? [] : [{ type: "emoji", emoji }]) as TelegramReactionType[];
    stored.reactions.set(user.id, after);
    for (const bot of botsIn(this.world, this.chat)) {
      const admin = this.chat.members.get(bot.user.id)?.status === "administrator";
      if (this.chat.kind !== "private" && !admin) continue;
      bot.updates.push({
        message_reaction: {
          chat: this.chat.chat,
          message_id: stored.message.message_id,
          user,
          date: this.world.seconds(),
          old_reaction: before,
          new_reaction: after,
        },
      });
    }
    this.world.signals.changed();
  }

  /** Presses a button under a bot's message, named by its label or callback data. */
  presses(message: MessageRef, button: string): PressedButton {
    const stored = this.stored(message);
    const markup = stored.message.reply_markup;
    const buttons = markup !== undefined && "inline_keyboard" in markup ? markup.inline_keyboard.flat() : [];
    const found = buttons.find((b) => b.text === button || b.callback_data === button);
    if (found?.callback_data === undefined) {
      throw new Error(`no button "${button}" under "${textOf(stored.message)}"`);
    }
    const bot = this.world.botById(stored.authorId);
    if (bot === undefined) throw new Error("only a bot's message has buttons");
    const id = String(4_000_000_000_000 + this.world.count("query"));
    const record = { id, botId: bot.user.id, user: this.speaker.user, data: found.callback_data, answer: null };
    this.world.callbacks.set(id, record);
    bot.updates.push({
      callback_query: {
        id,
        from: this.speaker.user,
        message: stored.message,
        chat_instance: String(this.id),
        data: found.callback_data,
      },
    });
    this.world.signals.changed();
    const answered = () => this.world.callbacks.get(id)?.answer ?? undefined;
    return {
      id,
      answer: (within) =>
        this.world.signals.until(answered, {
          what: `an answer to the button "${button}"`,
          ...(within === undefined ? {} : { within }),
        }),
    };
  }

  /** Private chats of a bot with topics enabled: opens a topic and goes there. */
  topic(name: string): Conversation {
    const bot = this.chat.botId === null ? undefined : this.world.botById(this.chat.botId);
    if (bot?.facts.hasTopicsEnabled !== true) throw new Error("this chat has no topics");
    const topic = openTopic(this.world, this.chat, this.speaker.user, { name });
    return new Conversation(this.world, this.chat, topic.threadId, this.speaker);
  }

  /** Private chats: an existing topic by its thread id. */
  inTopic(threadId: number): Conversation {
    return new Conversation(this.world, this.chat, threadId, this.speaker);
  }
}
