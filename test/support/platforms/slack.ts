import type { Channel } from "../emulators/slack/channels.ts";
import type { Conversation } from "../emulators/slack/conversation.ts";
import { startSlackEmulator } from "../emulators/slack/emulator.ts";
import type { Place } from "../emulators/slack/place.ts";
import type { SlackMessage } from "../emulators/slack/records.ts";
import type { Platform, Spot, ThreadSpot, Who } from "./platform.ts";

/** Slack with one workspace, two apps and three people. */
export async function slackPlatform(): Promise<Platform> {
  const sl = await startSlackEmulator();
  const apps = { default: sl.app({ name: "Switchyard" }), second: sl.app({ name: "Second" }) };
  const people = { ann: sl.user({ name: "ann" }), ben: sl.user({ name: "ben" }), cleo: sl.user({ name: "cleo" }) };

  const spot = (place: Place, writer: (who: Who) => Conversation): Spot => ({
    says: async (text, { by = "ann", to } = {}) => {
      writer(by).says(text, to === undefined ? {} : { mention: apps[to] });
    },
    runs: async (command, { by = "ann" } = {}) => {
      writer(by).says(command.replace(/^\//, "!"));
    },
    hears: async (wanted, by) =>
      (await place.botSays({ matching: wanted, within: 15_000, ...(by === undefined ? {} : { by: apps[by] }) })).text,
    botTexts: async () =>
      place
        .messages()
        .filter((message) => message.bot_id !== undefined)
        .map((message) => message.text),
  });
  const threadSpot = (channel: Channel, root: SlackMessage): ThreadSpot => {
    const thread = channel.thread(root);
    return {
      ...spot(thread, (who) => thread.from(people[who])),
      // A thread of Slack cannot be archived; its channel can.
      closing: { closes: () => channel.archives(), opens: () => channel.unarchives(), state: "archived" },
      deletes: () => channel.from(people.ann).deletes(root),
    };
  };

  return {
    name: "slack",
    public: true,
    owner: `slack:${people.ann.id}`,
    config: {
      botToken: apps.default.botToken,
      appToken: apps.default.appToken,
      apiUrl: sl.apiUrl,
      allowFrom: [people.ann.id, people.ben.id],
      channels: { "*": { users: [people.ann.id, people.ben.id] } },
      pacing: false,
      accounts: { second: { botToken: apps.second.botToken, appToken: apps.second.appToken } },
    },
    mentionOf: (account) => apps[account].mention,
    ready: async () => {
      await Promise.all(Object.values(apps).map((app) => app.connected(1, { within: 20_000 })));
    },
    direct: (who = "ann", account = "default") => {
      const dm = people[who].dm(apps[account]);
      return spot(dm, () => dm);
    },
    channel: async (title) => {
      const channel = sl.channel(title, { members: [...Object.values(people), ...Object.values(apps)] });
      const here = spot(channel, (who) => channel.from(people[who]));
      return {
        ...here,
        asks: async (text, to = "default") =>
          threadSpot(channel, channel.from(people.ann).says(text, { mention: apps[to] })),
        thread: async (name) => threadSpot(channel, channel.from(people.ann).says(name)),
        subAgentThread: async (name) => {
          const root = await channel.botSays({
            matching: (message) => message.text.includes(name) && message.text.includes("). Reply in this thread"),
            within: 15_000,
          });
          return threadSpot(channel, root);
        },
      };
    },
    stop: () => sl.stop(),
  };
}
