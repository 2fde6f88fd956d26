import type { Conversation } from "../emulators/telegram/conversation.ts";
import { startTelegramEmulator } from "../emulators/telegram/emulator.ts";
import type { Topic } from "../emulators/telegram/groups.ts";
import { type Place, textOf } from "../emulators/telegram/place.ts";
import type { Platform, Spot, ThreadSpot, Who } from "./platform.ts";

/** Telegram with two bots and three people; a channel is a forum's General, a thread is a topic. */
export async function telegramPlatform(): Promise<Platform> {
  const tg = await startTelegramEmulator();
  const bots = {
    default: tg.bot({ username: "switchy_bot", canReadAllGroupMessages: true }),
    second: tg.bot({ username: "second_bot", canReadAllGroupMessages: true }),
  };
  const people = { ann: tg.user({ name: "Ann" }), ben: tg.user({ name: "Ben" }), cleo: tg.user({ name: "Cleo" }) };
  const allowed = [String(people.ann.id), String(people.ben.id)];

  const spot = (place: Place, writer: (who: Who) => Conversation): Spot => ({
    says: async (text, { by = "ann", to } = {}) => {
      writer(by).says(text, to === undefined ? {} : { mention: bots[to] });
    },
    // A bare command in a group is for every bot there.
    runs: async (command, { by = "ann" } = {}) => {
      writer(by).says(command.replace(/^\/\w+/, (name) => `${name}@${bots.default.username}`));
    },
    hears: async (wanted, by) =>
      textOf(await place.botSays({ matching: wanted, within: 15_000, ...(by === undefined ? {} : { by: bots[by] }) })),
    botTexts: async () =>
      place
        .messages()
        .filter((message) => message.from?.is_bot === true)
        .map(textOf),
  });
  const threadSpot = (topic: Topic): ThreadSpot => ({
    ...spot(topic, (who) => topic.from(people[who])),
    closing: { closes: () => topic.closes(), opens: () => topic.reopens(), state: "locked" },
    deletes: () => topic.deletes(),
  });

  return {
    name: "telegram",
    public: true,
    owner: `telegram:${people.ann.id}`,
    config: {
      botToken: bots.default.token,
      apiRoot: tg.apiRoot,
      allowFrom: allowed,
      groups: { "*": { allowFrom: allowed } },
      pacing: false,
      accounts: { second: { botToken: bots.second.token } },
    },
    mentionOf: (account) => `@${bots[account].username}`,
    ready: async () => {
      await Promise.all(Object.values(bots).map((bot) => tg.caughtUp(bot, { within: 20_000 })));
    },
    direct: (who = "ann", account = "default") => {
      const dm = people[who].dm(bots[account]);
      return {
        ...spot(dm, () => dm),
        runs: async (command) => {
          dm.says(command);
        },
      };
    },
    channel: async (title) => {
      const members = [...Object.values(people), bots.default, bots.second];
      const forum = tg.forum({ title, members, admins: [bots.default, bots.second] });
      const here = spot(forum, (who) => forum.from(people[who]));
      return {
        ...here,
        asks: async (text, to = "default") => {
          await here.says(text, { to });
          return here;
        },
        thread: async (name) => threadSpot(forum.topic(name, people.ann)),
        subAgentThread: async (name) => {
          const topic = await tg.until(() => forum.topics().find((one) => one.name === name), { within: 15_000 });
          const made = threadSpot(topic);
          await made.hears(/\)\. Reply in this thread/);
          return made;
        },
      };
    },
    stop: () => tg.stop(),
  };
}
