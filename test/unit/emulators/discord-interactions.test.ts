import {
  type ChatInputCommandInteraction,
  type Client,
  type Interaction,
  MessageFlags,
  Routes,
  SlashCommandBuilder,
} from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientOf, logIn } from "../../support/discord-client.ts";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";

const MODEL = new SlashCommandBuilder()
  .setName("model")
  .setDescription("Chooses the model")
  .addStringOption((option) => option.setName("name").setDescription("Which").setRequired(true).setAutocomplete(true))
  .addUserOption((option) => option.setName("for").setDescription("For whom"));
const AGENTS = new SlashCommandBuilder()
  .setName("agents")
  .setDescription("Agents")
  .addSubcommand((sub) => sub.setName("list").setDescription("Lists them"));

describe("Discord emulator: commands, buttons and their answers", () => {
  let dc: DiscordEmulator;
  let now: number;
  let bot: Bot;
  let ann: Person;
  let channel: Channel;
  let client: Client<true>;

  function onCommand(act: (interaction: ChatInputCommandInteraction) => unknown): void {
    client.on("interactionCreate", (interaction: Interaction) => {
      if (interaction.isChatInputCommand()) act(interaction);
    });
  }

  beforeEach(async () => {
    now = Date.now();
    dc = await startDiscordEmulator({ clock: () => now });
    bot = dc.bot({ username: "team_bot" });
    ann = dc.user({ name: "Ann" });
    channel = dc.guild({ name: "Work", members: [ann, bot] }).text("general");
    client = await logIn(clientOf(dc, [1]), bot);
    await client.application.commands.set([MODEL, AGENTS]);
  });

  afterEach(async () => {
    await client.destroy();
    await dc.stop();
  });

  test("a command with options is answered; the answer is a message in the channel", async () => {
    onCommand((i) => i.reply(`${i.options.getString("name")} for ${i.options.getUser("for")?.username}`));
    const used = channel.from(ann).uses("/model", { options: { name: "big", for: ann } });
    expect(await used.answer()).toMatchObject({
      content: "big for ann",
      type: 20,
      interaction_metadata: { user: { id: ann.id } },
    });
    expect(used.state).toBe("answered");
    expect((await channel.botSays()).content).toBe("big for ann");
  });

  test("subcommands, and what the client does not let people send", async () => {
    onCommand((i) => i.reply(i.options.getSubcommand()));
    const from = channel.from(ann);
    expect((await ann.uses("/agents list", { at: channel }).answer()).content).toBe("list");
    expect(() => from.uses("/agents")).toThrow("name a subcommand");
    expect(() => from.uses("/model")).toThrow('option "name" is required');
    expect(() => from.uses("/model", { options: { name: "x", size: 1 } })).toThrow('no option "size"');
    expect(() => from.uses("/nothing")).toThrow("no bot here has a command /nothing");
  });

  test("an ephemeral answer is seen by its person only and cannot be fetched as a message", async () => {
    onCommand(async (i) => {
      await i.reply({ content: "between us", flags: MessageFlags.Ephemeral });
      await i.followUp({ content: "for all" });
    });
    const used = channel.from(ann).uses("/model", { options: { name: "x" } });
    const answer = await used.answer();
    expect((await used.followUp()).content).toBe("for all");
    expect(channel.texts()).toEqual(["for all"]);
    expect(channel.from(ann).texts()).toEqual(["between us", "for all"]);
    await expect(client.rest.get(`/channels/${channel.id}/messages/${answer.id}`)).rejects.toMatchObject({
      code: 10008,
    });
  });

  test("deferred: thinking first, then the answer in its place, by edit or by follow-up", async () => {
    onCommand(async (i) => {
      await i.deferReply();
      if (i.options.getString("name") === "edit") await i.editReply("edited");
      else await i.followUp("followed");
      await i.followUp("more");
      await i.deleteReply();
    });
    for (const [name, text] of [
      ["edit", "edited"],
      ["follow", "followed"],
    ] as const) {
      const used = channel.from(ann).uses("/model", { options: { name } });
      expect(await used.acknowledged()).toBe(5);
      expect((await used.followUp()).content).toBe("more");
      const [original] = [...channel.channel.messages.values()].filter((m) => m.interactionId === used.id);
      expect(original?.message.content).toBe(text);
      await dc.until(() => (original?.deleted === true ? true : undefined));
    }
  });

  test("FC-060: an answer after three seconds is 10062, a second one 40060; the person sees a failure", async () => {
    const errors: unknown[] = [];
    onCommand(async (i) => {
      if (i.options.getString("name") === "late") now += 3001;
      await i.reply("one").catch((error: { code: number }) => errors.push(error.code));
      const raw = client.rest.post(`/interactions/${i.id}/${i.token}/callback`, { body: { type: 5 }, auth: false });
      await raw.catch((error: { code: number }) => errors.push(error.code));
    });
    channel.from(ann).uses("/model", { options: { name: "late" } });
    await expect.poll(() => errors).toEqual([10062, 10062]);
    await channel
      .from(ann)
      .uses("/model", { options: { name: "twice" } })
      .answer();
    await expect.poll(() => errors).toEqual([10062, 10062, 40060]);
  });

  test("the token lives for 15 minutes", async () => {
    const held: ChatInputCommandInteraction[] = [];
    onCommand(async (i) => {
      await i.deferReply();
      held.push(i);
    });
    channel.from(ann).uses("/model", { options: { name: "x" } });
    await expect.poll(() => held.length).toBe(1);
    now += 14 * 60_000;
    await held[0]?.editReply("in time");
    now += 61_000;
    await expect(held[0]?.editReply("too late")).rejects.toMatchObject({ code: 50027, status: 401 });
  });

  test("FC-145: a thread that is locked and archived between defer and answer refuses the edit with 50083", async () => {
    const codes: unknown[] = [];
    const thread = channel.thread("run", { by: ann });
    onCommand(async (i) => {
      await i.deferReply();
      thread.locks();
      thread.archives();
      await i.editReply("x").catch((error: { code: number }) => codes.push(error.code));
    });
    thread.from(ann).uses("/model", { options: { name: "x" } });
    await expect.poll(() => codes).toEqual([50083]);
  });

  test("autocomplete: more than 25 proposals, and names or values over 100 characters, are refused", async () => {
    const refused: number[] = [];
    const tries = [
      Array.from({ length: 26 }, (_, index) => ({ name: `n${index}`, value: "v" })),
      [{ name: "n".repeat(101), value: "v" }],
      [{ name: "n", value: "v".repeat(101) }],
    ];
    client.on("interactionCreate", async (i) => {
      if (!i.isAutocomplete()) return;
      for (const choices of tries) {
        await i.client.rest
          .post(Routes.interactionCallback(i.id, i.token), { body: { type: 8, data: { choices } }, auth: false })
          .catch((error: { status: number }) => refused.push(error.status));
      }
      await i.respond([{ name: "good", value: "g" }]);
    });
    const writing = channel.from(ann).autocompletes("/model", "name", { options: { name: "gp" } });
    expect(await writing.choices()).toEqual([{ name: "good", value: "g" }]);
    expect(refused).toEqual([400, 400, 400]);
  });

  test("autocomplete: what is written so far comes to the bot, its proposals come back", async () => {
    client.on("interactionCreate", (i) => {
      if (i.isAutocomplete()) void i.respond([{ name: `${i.options.getFocused()}-large`, value: "l" }]);
    });
    const writing = channel.from(ann).autocompletes("/model", "name", { options: { name: "gp" } });
    expect(await writing.choices()).toEqual([{ name: "gp-large", value: "l" }]);
  });

  test("buttons: pressed, deferred, the message they are under changed", async () => {
    onCommand((i) =>
      i.reply({
        content: "sure?",
        components: [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "yes" }] }],
      }),
    );
    client.on("interactionCreate", (i) => {
      if (i.isButton()) void i.update({ content: `${i.customId} by ${i.user.username}`, components: [] });
    });
    const asked = await channel
      .from(ann)
      .uses("/model", { options: { name: "x" } })
      .answer();
    const pressed = ann.presses(asked, "Yes");
    expect(await pressed.answer()).toMatchObject({ id: asked.id, content: "yes by ann", components: [] });
    expect(() => ann.presses(asked, "Yes")).toThrow('no button "Yes"');
  });

  test("commands are kept by scope; an overwrite keeps the ids of what stays", async () => {
    const { commands } = client.application;
    const before = bot.commands()?.find((command) => command.name === "model")?.id;
    await commands.set([MODEL]);
    expect(bot.commands()?.map(({ id, name }) => [id, name])).toEqual([[before, "model"]]);
    const guildId = channel.guildId ?? "";
    await commands.create(AGENTS, guildId);
    expect(bot.commands(guildId)).toMatchObject([{ name: "agents", guild_id: guildId }]);
    await commands.delete(bot.commands(guildId)?.[0]?.id ?? "", guildId);
    expect(bot.commands(guildId)).toEqual([]);
  });
});
