import type { MentionOrder } from "./events.ts";
import { announce } from "./events.ts";
import { newFile } from "./files.ts";
import { change, edit, post, remove } from "./messages.ts";
import { richText, typedText } from "./people-text.ts";
import { type MessageRef, Place, tsOf } from "./place.ts";
import { react, unreact } from "./reactions.ts";
import type { ConversationRecord, FileObject, FileRecord, HiddenFile, SlackMessage, UserRecord } from "./records.ts";
import type { World } from "./world.ts";

/** Anybody with an account: a person, or an app's bot that writes. */
export interface Speaker {
  readonly user: UserRecord;
}

export interface SentFile {
  name: string;
  bytes: Uint8Array | string;
  mimeType?: string;
  /** How many redirects its download goes through. Default 0. */
  redirects?: number;
  /** Status its download is answered with. */
  refusedWith?: number;
  /** Comes as from a shared channel: the event has only its id. */
  checkFileInfo?: boolean;
}

function shownFile(file: FileRecord, sent: SentFile | undefined): FileObject | HiddenFile {
  if (sent?.checkFileInfo !== true) return file.object;
  return { id: file.object.id, mode: "file_access", file_access: "check_file_info" };
}

export interface SaysOptions {
  /** Addresses somebody: `<@U…> ` before the text. */
  mention?: Speaker;
  /** Answers in this message's thread. Default: the place's own. */
  thread?: MessageRef | string;
  /** Shows the thread reply in the channel as well. */
  broadcast?: boolean;
  files?: SentFile[];
  /** In which order the app hears of it as `message` and `app_mention`. Default `message-first`. */
  order?: MentionOrder;
  /** Anything else to put into the message as it is (attachments, subtype, …). */
  extra?: Partial<SlackMessage>;
}

/** One person in one place: what they do there. Reading and waiting come from `Place`. */
export class Conversation extends Place {
  readonly speaker: Speaker;

  constructor(world: World, conversation: ConversationRecord, threadTs: string | null, speaker: Speaker) {
    super(world, conversation, threadTs);
    this.speaker = speaker;
  }

  /** The same person in a thread of this place. */
  thread(root: MessageRef | string): Conversation {
    return new Conversation(this.world, this.conversation, tsOf(root), this.speaker);
  }

  #checkMayWrite(): void {
    const { user } = this.speaker;
    if (!this.conversation.members.has(user.id)) throw new Error(`${user.name} is not in ${this.conversation.name}`);
    if (this.conversation.archived) throw new Error(`${this.conversation.name} is archived`);
    if (this.conversation.deleted) throw new Error(`${this.conversation.name} was deleted`);
  }

  /** Writes a message. */
  says(text: string, options: SaysOptions = {}): SlackMessage {
    this.#checkMayWrite();
    const { user } = this.speaker;
    const addressed = options.mention === undefined ? text : `<@${options.mention.user.id}> ${text}`;
    const typed = typedText(addressed);
    const files = (options.files ?? []).map((file) => this.#uploads(file));
    const shared =
      files.length === 0
        ? {}
        : { subtype: "file_share", upload: false, files: files.map((f, i) => shownFile(f, options.files?.[i])) };
    const blocks = typed === "" ? {} : { blocks: [richText(typed, `r${this.world.count("client")}`)] };
    const thread = options.thread === undefined ? this.threadTs : tsOf(options.thread);
    const root = thread === null ? null : (this.stored(thread).message.thread_ts ?? thread);
    const stored = post(this.world, this.conversation, {
      author: user,
      content: { text: typed, ...blocks, ...shared, ...options.extra },
      threadTs: root,
      ...(options.broadcast === undefined ? {} : { broadcast: options.broadcast }),
      ...(options.order === undefined ? {} : { order: options.order }),
    });
    return structuredClone(stored.message);
  }

  #uploads(file: SentFile): FileRecord {
    const bytes = Buffer.from(typeof file.bytes === "string" ? Buffer.from(file.bytes) : file.bytes);
    const record = newFile(this.world, {
      name: file.name,
      bytes,
      size: bytes.length,
      owner: this.speaker.user.id,
      ...(file.mimeType === undefined ? {} : { mimeType: file.mimeType }),
    });
    record.sharedIn.add(this.id);
    record.redirects = file.redirects ?? 0;
    record.refusedWith = file.refusedWith ?? null;
    return record;
  }

  /** Changes the text of an own message. */
  edits(message: MessageRef, text: string): SlackMessage {
    const stored = this.stored(message);
    const typed = typedText(text);
    const blocks = [richText(typed, `r${this.world.count("client")}`)];
    edit(this.world, this.conversation, stored, { content: { text: typed, blocks }, editor: this.speaker.user.id });
    return structuredClone(stored.message);
  }

  /** The platform unfurls a link: `message_changed` with the same text and an attachment, not marked as edited. */
  unfurls(message: MessageRef, url = "https://example.com/"): void {
    const stored = this.stored(message);
    const attachment = {
      id: 1,
      from_url: url,
      original_url: url,
      fallback: url,
      title: "Example",
      service_name: "Web",
    };
    change(this.world, this.conversation, stored, { ...stored.message, attachments: [attachment] });
  }

  /** Deletes a message. */
  deletes(message: MessageRef): void {
    remove(this.world, this.conversation, this.stored(message));
  }

  /** Reacts with an emoji by its name ("eyes"), or takes the reaction back. */
  reacts(message: MessageRef, name: string, taken: "added" | "removed" = "added"): void {
    const act = taken === "added" ? react : unreact;
    act(this.world, this.conversation, this.stored(message), { user: this.speaker.user.id, name });
  }

  /** Invites somebody. */
  adds(member: Speaker): void {
    this.conversation.members.add(member.user.id);
    const common = { user: member.user.id, channel: this.id, team: this.conversation.team.id };
    announce(this.world, this.conversation, {
      type: "member_joined_channel",
      ...common,
      channel_type: this.conversation.kind === "channel" ? "C" : "G",
      inviter: this.speaker.user.id,
      event_ts: this.world.nextTs(),
    });
    post(this.world, this.conversation, {
      author: member.user,
      content: {
        subtype: this.conversation.kind === "channel" ? "channel_join" : "group_join",
        text: `<@${member.user.id}> has joined the channel`,
        inviter: this.speaker.user.id,
      },
      order: "message-only",
    });
  }
}
