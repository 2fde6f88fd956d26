import { Client, GatewayIntentBits, type Message, Partials } from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { Guild } from "../../support/emulators/discord/guild.ts";

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

describe("Discord emulator: conversations through discord.js", () => {
  let dc: DiscordEmulator;
  let bot: Bot;
  let ann: Person;
  let guild: Guild;
  let channel: Channel;
  let client: Client<true>;

  async function connect(answer: (message: Message) => unknown): Promise<void> {
    client = new Client({
      intents: INTENTS,
      partials: [Partials.Channel, Partials.Message],
      rest: { api: dc.apiUrl, rejectOnRateLimit: () => true },
    });
    client.on("messageCreate", (message) => {
      if (message.author.id !== bot.id) answer(message);
    });
    const ready = new Promise((resolve) => client.once("clientReady", resolve));
    await client.login(bot.token);
    await ready;
  }

  beforeEach(async () => {
    dc = await startDiscordEmulator();
    bot = dc.bot({ username: "team_bot", messageContent: true });
    ann = dc.user({ name: "Ann" });
    guild = dc.guild({ name: "Work", members: [ann, bot] });
    channel = guild.text("general");
  });

  afterEach(async () => {
    await client?.destroy();
    await dc.stop();
  });

  test("a mention in a channel is answered with a reply", async () => {
    await connect((message) => message.reply(`you said ${message.cleanContent}`));
    const asked = channel.from(ann).says("hello", { mention: bot });
    const answer = await channel.botSays();
    expect(answer.content).toBe("you said @team_bot hello");
    expect(answer.message_reference?.message_id).toBe(asked.id);
    expect(answer.mentions.map((user) => user.id)).toEqual([ann.id]);
    expect(channel.texts()).toEqual([`<@${bot.id}> hello`, "you said @team_bot hello"]);
  });

  test("direct messages", async () => {
    await connect((message) => message.channel.isSendable() && message.channel.send(`dm ${message.content}`));
    const dm = ann.dm(bot);
    dm.says("hi");
    expect((await dm.botSays()).content).toBe("dm hi");
  });
});
