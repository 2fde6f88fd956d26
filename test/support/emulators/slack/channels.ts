import { Conversation, type Speaker } from "./conversation.ts";
import { announce, notify } from "./events.ts";
import { type MessageRef, Place, tsOf } from "./place.ts";
import type { ConversationRecord, Restriction } from "./records.ts";
import type { World } from "./world.ts";

/** A channel, private channel or group DM, or one of its threads. */
export class Channel extends Place {
  readonly owner: Speaker;

  constructor(world: World, conversation: ConversationRecord, owner: Speaker, threadTs: string | null = null) {
    super(world, conversation, threadTs);
    this.owner = owner;
  }

  /** This place, with somebody who acts in it. */
  from(speaker: Speaker): Conversation {
    return new Conversation(this.world, this.conversation, this.threadTs, speaker);
  }

  /** A thread of this channel. */
  thread(root: MessageRef | string): Channel {
    return new Channel(this.world, this.conversation, this.owner, tsOf(root));
  }

  /** Invites somebody. */
  adds(member: Speaker): void {
    this.from(this.owner).adds(member);
  }

  /** Removes somebody. An app hears of its own removal as `channel_left` (`group_left`), and nothing after that. */
  kicks(member: Speaker): void {
    const isOpen = this.conversation.kind === "channel";
    const common = { channel: this.id, event_ts: this.world.nextTs() };
    for (const app of this.world.appsIn(this.conversation)) {
      const own = app.user === member.user ? (isOpen ? "channel_left" : "group_left") : null;
      const left = {
        ...common,
        user: member.user.id,
        channel_type: isOpen ? "C" : "G",
        team: this.conversation.team.id,
      };
      const event =
        own === null
          ? { type: "member_left_channel", ...left }
          : { type: own, ...common, actor_id: this.owner.user.id };
      notify(this.world, app, event, this.conversation);
    }
    this.conversation.members.delete(member.user.id);
  }

  /** Archives the channel: nobody can write in it any more. */
  archives(): void {
    this.conversation.archived = true;
    this.#tell(this.conversation.kind === "channel" ? "channel_archive" : "group_archive");
  }

  unarchives(): void {
    this.conversation.archived = false;
    this.#tell(this.conversation.kind === "channel" ? "channel_unarchive" : "group_unarchive");
  }

  /** Deletes the channel. */
  isDeleted(): void {
    this.#tell(this.conversation.kind === "channel" ? "channel_deleted" : "group_deleted");
    this.conversation.deleted = true;
  }

  /** Only people may post from now on; apps are refused. Null lifts it. */
  restricts(how: Restriction | null = "restricted_action"): void {
    this.conversation.restriction = how;
  }

  #tell(type: string): void {
    announce(this.world, this.conversation, {
      type,
      channel: this.id,
      user: this.owner.user.id,
      event_ts: this.world.nextTs(),
    });
    this.world.signals.changed();
  }
}
