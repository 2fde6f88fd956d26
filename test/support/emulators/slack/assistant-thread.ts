import { Conversation, type Speaker } from "./conversation.ts";
import { announce } from "./events.ts";
import { post } from "./messages.ts";
import type { Place } from "./place.ts";
import type { AppRecord, ConversationRecord } from "./records.ts";
import type { World } from "./world.ts";

interface Opening {
  person: Speaker;
  app: AppRecord;
  context: Place | undefined;
}

/** A thread in an app's assistant pane: an IM thread that is opened before anything is said. */
export class AssistantThread extends Conversation {
  readonly #app: AppRecord;

  private constructor(world: World, conversation: ConversationRecord, root: string, opening: Opening) {
    super(world, conversation, root, opening.person);
    this.#app = opening.app;
  }

  static open(world: World, opening: Opening): AssistantThread {
    const { app, person } = opening;
    if (!app.assistant) throw new Error(`${app.name} is no assistant`);
    const im = world.im(person.user, app.user);
    // The root is a message of the app that people see only as the pane's head.
    const root = post(world, im, { author: app.user, content: { text: "New Assistant Thread" }, quiet: true });
    im.assistantThreads.add(root.message.ts);
    const thread = new AssistantThread(world, im, root.message.ts, opening);
    thread.#tell("assistant_thread_started", opening.context);
    return thread;
  }

  /** The person looks at another channel. */
  looksAt(place: Place): void {
    this.#tell("assistant_thread_context_changed", place);
  }

  #tell(type: string, context: Place | undefined): void {
    const seen =
      context === undefined ? {} : { channel_id: context.id, team_id: this.#app.team.id, enterprise_id: null };
    announce(this.world, this.conversation, {
      type,
      assistant_thread: {
        user_id: this.speaker.user.id,
        context: seen,
        channel_id: this.id,
        thread_ts: this.threadTs,
      },
      event_ts: this.world.nextTs(),
    });
  }
}
