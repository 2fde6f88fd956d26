import { botsSeeing, maySee } from "./audience.ts";
import { commandData, type UseOptions } from "./command-use.ts";
import { tell } from "./gateway/events.ts";
import { interact } from "./interactions.ts";
import { mentionsIn } from "./mentions.ts";
import { change, post, remove } from "./messages.ts";
import { type MessageRef, Place } from "./place.ts";
import { react } from "./reactions.ts";
import type { ChannelRecord } from "./records.ts";
import { buttonIn } from "./routes/components.ts";
import { attach } from "./routes/message-content.ts";
import { joinThread, referenceTo, reopenByWriting } from "./threads.ts";
import { UsedInteraction } from "./used-interaction.ts";
import { type APIMessage, type APIUser, INTENT, MESSAGE_TYPE } from "./wire-types.ts";
import type { World } from "./world.ts";

/** Anybody with an account: a person, or a bot that writes by itself. */
export interface Speaker {
  readonly user: APIUser;
}

export interface SentFile {
  name: string;
  bytes: Uint8Array | string;
  mimeType?: string;
}

export interface SaysOptions {
  /** Addresses somebody: `<@id> ` before the text. */
  mention?: Speaker;
  replyTo?: MessageRef;
  /** Replies: whether the author of that message is pinged (and so mentioned). Default true. */
  pings?: boolean;
  files?: SentFile[];
  /** Anything else to put into the message as it is (embeds, sticker_items, webhook_id, …). */
  extra?: Partial<APIMessage>;
}

/** One person (or bot) in one place: what they do there. Reading and waiting come from `Place`. */
export class Conversation extends Place {
  readonly speaker: Speaker;

  constructor(world: World, channel: ChannelRecord, speaker: Speaker) {
    super(world, channel, speaker.user.id);
    this.speaker = speaker;
  }

  #checkMayWrite(): void {
    const { user } = this.speaker;
    if (this.channel.deleted) throw new Error("this channel was deleted");
    if (!maySee(this.world, this.channel, user.id)) throw new Error(`${user.username} cannot see this channel`);
    if (this.channel.dm?.blocked === true) throw new Error(`${user.username} has blocked this bot`);
    if (this.channel.thread?.locked === true && this.channel.thread.archived) throw new Error("the thread is locked");
  }

  /** Writes a message. */
  says(text: string, options: SaysOptions = {}): APIMessage {
    this.#checkMayWrite();
    const { world, channel } = this;
    const { user } = this.speaker;
    reopenByWriting(world, channel);
    if (channel.dm !== null) channel.dm.openedByUser = true;
    const content = options.mention === undefined ? text : `<@${options.mention.user.id}> ${text}`;
    const replyTo = options.replyTo === undefined ? null : this.stored(options.replyTo);
    const allowed =
      options.pings === false ? { parse: ["users", "roles", "everyone"] as never[], replied_user: false } : null;
    const mentions = mentionsIn(world, { channel, authorId: user.id }, { content, allowed, replyTo });
    const attachments = (options.files ?? []).map((file) =>
      attach(world, channel.id, {
        name: file.name,
        mimeType: file.mimeType ?? "application/octet-stream",
        bytes: typeof file.bytes === "string" ? Buffer.from(file.bytes) : file.bytes,
      }),
    );
    const said = post(world, channel, {
      author: user,
      replyTo,
      content: {
        content,
        attachments,
        type: replyTo === null ? MESSAGE_TYPE.default : MESSAGE_TYPE.reply,
        mentions: mentions.users,
        mention_roles: mentions.roles,
        mention_everyone: mentions.everyone,
        ...(replyTo === null ? {} : { message_reference: referenceTo(channel, replyTo.message.id) }),
        ...options.extra,
      },
    });
    if (channel.thread !== null) joinThread(world, channel, user);
    return said.message;
  }

  /** Changes the text of an own message. */
  edits(message: MessageRef, text: string): APIMessage {
    const stored = this.stored(message);
    const { world, channel } = this;
    const replyTo = channel.messages.get(stored.message.message_reference?.message_id ?? "") ?? null;
    const mentions = mentionsIn(world, { channel, authorId: stored.authorId }, { content: text, replyTo });
    change(world, channel, stored, { content: text, mentions: mentions.users, mention_roles: mentions.roles });
    return stored.message;
  }

  /** Deletes a message; bots hear MESSAGE_DELETE. */
  deletes(message: MessageRef): void {
    remove(this.world, this.channel, this.stored(message));
  }

  /** Reacts with an emoji, or takes that reaction back. */
  reacts(message: MessageRef, emoji: string, taken: "added" | "removed" = "added"): void {
    react(this.world, this.channel, this.stored(message), { user: this.speaker.user, emoji }, taken);
  }

  /** Shows that this person types. */
  types(): void {
    const { world, channel } = this;
    tell(botsSeeing(world, channel), {
      t: "TYPING_START",
      intents: channel.dm === null ? INTENT.guildTyping : INTENT.directTyping,
      guildId: channel.guildId,
      data: () => ({
        channel_id: channel.id,
        user_id: this.speaker.user.id,
        timestamp: Math.floor(world.clock() / 1000),
        ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
      }),
    });
  }

  /** Uses a slash command: `uses("/agents list", {options: {verbose: true}})`. Throws where the client would not let one. */
  uses(command: string, use: UseOptions = {}): UsedInteraction {
    const { world, channel, speaker } = this;
    const { bot, data } = commandData(world, this, command, { ...use, focused: null });
    return new UsedInteraction(world, interact(world, { kind: "command", bot, user: speaker.user, channel, data }));
  }

  /** Is writing an option of a slash command: the bot is asked for proposals; see `choices`. */
  autocompletes(command: string, focused: string, use: UseOptions = {}): UsedInteraction {
    const { world, channel, speaker } = this;
    const { bot, data } = commandData(world, this, command, { ...use, focused });
    return new UsedInteraction(
      world,
      interact(world, { kind: "autocomplete", bot, user: speaker.user, channel, data }),
    );
  }

  /** Presses a button under a bot's message, named by its label or custom id. */
  presses(message: MessageRef, button: string): UsedInteraction {
    const { world, channel, speaker } = this;
    const stored = this.stored(message);
    const found = buttonIn(stored.message.components ?? [], button);
    if (found === null || stored.deleted) throw new Error(`no button "${button}" under "${stored.message.content}"`);
    if (found.disabled) throw new Error(`the button "${button}" is disabled`);
    if (stored.onlyFor !== null && stored.onlyFor !== speaker.user.id) throw new Error("this message is not for you");
    const bot = world.botById(stored.authorId);
    if (bot === undefined) throw new Error("only a bot's message has buttons");
    const data = { custom_id: found.customId, component_type: 2, id: found.id };
    return new UsedInteraction(
      world,
      interact(world, { kind: "button", bot, user: speaker.user, channel, data, message: stored }),
    );
  }
}
