import { playable } from "../../support/emulators/fault-model.ts";
import type { PendingEvent } from "../../support/emulators/slack/delivery.ts";
import { startSlackEmulator } from "../../support/emulators/slack/emulator.ts";
import { SLACK_PLAYS } from "../../support/emulators/slack/fault-plays.ts";
import type { SlackMessage } from "../../support/emulators/slack/records.ts";
import { begins } from "../begins.ts";
import { isRoom, type Stand, type Talk } from "../stand.ts";

/** The platform's minutes, shortened: an event that met no program comes again until there is one. */
const RETRIES_MS = [50, 400, 600, ...Array.from({ length: 40 }, () => 1_500)];
const PING_MS = 2_000;

/** Slack with one app in one workspace. A room's conversation is a thread: its first message opens it. */
export async function slackStand(): Promise<Stand> {
  const sl = await startSlackEmulator({ retryDelaysMs: RETRIES_MS, pingMs: PING_MS });
  const app = sl.app({ name: "Switchyard" });
  const owner = sl.user({ name: "owner" });
  return {
    channel: "slack",
    section: {
      botToken: app.botToken,
      appToken: app.appToken,
      apiUrl: sl.apiUrl,
      dmPolicy: "open",
      allowFrom: ["*"],
      groupPolicy: "open",
      pacing: false,
    },
    faults: playable(SLACK_PLAYS),
    begins: (fault, dose) => begins(SLACK_PLAYS, fault, sl, dose),
    ready: () => app.connected(),
    talk: async (name, index): Promise<Talk> => {
      if (!isRoom(index)) {
        const dm = sl.user({ name: `person_${name}` }).dm(app);
        return { to: dm.id, says: (text) => void dm.says(text), reads: async () => byBot(dm.messages()) };
      }
      const channel = sl.channel(`room-${name}`, { members: [owner, app] });
      const root: { message: SlackMessage | null } = { message: null };
      return {
        to: channel.id,
        says: (text) => {
          if (root.message === null) root.message = channel.from(owner).says(text, { mention: app });
          else channel.thread(root.message).from(owner).says(text);
        },
        reads: async () => (root.message === null ? [] : byBot(channel.thread(root.message).messages())),
      };
    },
    isQuiet: () => app.record.deliveries.pending === 0,
    // Events go side by side; one that has to come again comes after what was said meanwhile.
    mayComeLate: (mark) =>
      app.record.deliveries.events.some((event) => event.tries > 1 && textOf(event).includes(`${mark}.`)),
    unanswered: () => [],
    stop: () => sl.stop(),
  };
}

function textOf({ payload }: PendingEvent): string {
  const event = payload.event as { readonly text?: unknown } | undefined;
  return String(event?.text ?? "");
}

function byBot(messages: readonly SlackMessage[]): readonly string[] {
  return messages.filter((message) => message.bot_id !== undefined).map(({ text }) => text);
}
