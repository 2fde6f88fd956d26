import type { Thread } from "../emulators/discord/channel-places.ts";
import type { Conversation } from "../emulators/discord/conversation.ts";
import { startDiscordEmulator } from "../emulators/discord/emulator.ts";
import type { Place } from "../emulators/discord/place.ts";
import type { Platform, Spot, ThreadSpot, Who } from "./platform.ts";

/** Discord with one guild, two bots and three people. */
export async function discordPlatform(): Promise<Platform> {
  const dc = await startDiscordEmulator();
  const bots = {
    default: dc.bot({ username: "switchy", messageContent: true }),
    second: dc.bot({ username: "second", messageContent: true }),
  };
  const people = { ann: dc.user({ name: "Ann" }), ben: dc.user({ name: "Ben" }), cleo: dc.user({ name: "Cleo" }) };
  const guild = dc.guild({ name: "Work", members: [...Object.values(people), bots.default, bots.second] });

  const spot = (place: Place, writer: (who: Who) => Conversation): Spot => ({
    says: async (text, { by = "ann", to } = {}) => {
      writer(by).says(text, to === undefined ? {} : { mention: bots[to] });
    },
    runs: async (command, { by = "ann" } = {}) => {
      writer(by).says(command);
    },
    hears: async (wanted, by) =>
      (
        await place.botSays({
          matching: wanted,
          within: 15_000,
          ...(by === undefined ? {} : { by: bots[by] }),
        })
      ).content,
    botTexts: async () =>
      place
        .messages()
        .filter((message) => message.author.bot === true)
        .map((message) => message.content),
  });
  const threadSpot = (thread: Thread): ThreadSpot => ({
    ...spot(thread, (who) => thread.from(people[who])),
    closing: { closes: () => thread.archives(), opens: () => thread.reopens(), state: "archived" },
    deletes: () => thread.deletes(),
  });

  return {
    name: "discord",
    public: true,
    owner: `discord:${people.ann.id}`,
    config: {
      token: bots.default.token,
      apiUrl: dc.apiUrl,
      allowFrom: [people.ann.id, people.ben.id],
      guilds: { [guild.id]: { channels: { "*": { users: [people.ann.id, people.ben.id] } } } },
      pacing: false,
      accounts: { second: { token: bots.second.token } },
    },
    mentionOf: (account) => `<@${bots[account].id}>`,
    ready: async () => {
      await Promise.all(Object.values(bots).map((bot) => dc.connected(bot, { within: 20_000 })));
    },
    direct: (who = "ann", account = "default") => {
      const dm = people[who].dm(bots[account]);
      return spot(dm, () => dm);
    },
    channel: async (title) => {
      const channel = guild.text(title);
      const here = spot(channel, (who) => channel.from(people[who]));
      return {
        ...here,
        asks: async (text, to = "default") => {
          await here.says(text, { to });
          return here;
        },
        thread: async (name) => threadSpot(channel.thread(name, { by: people.ann })),
        // It hangs on the message that asked, or on an opening line of the bot's own.
        subAgentThread: async (name) => {
          const opened = (place: Place): boolean =>
            place.texts().some((said) => said.includes(name) && said.includes("). Reply in this thread"));
          const found = () => channel.threads().find((one) => one.name === name && (opened(one) || opened(channel)));
          return threadSpot(await dc.until(found, { what: `the thread ${name}`, within: 15_000 }));
        },
      };
    },
    stop: () => dc.stop(),
  };
}
