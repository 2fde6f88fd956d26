import { type Client, Events, type Message, type ThreadChannel } from "discord.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clientOf, logIn } from "../../support/discord-client.ts";
import type { Bot, Person } from "../../support/emulators/discord/accounts.ts";
import type { Channel } from "../../support/emulators/discord/channel-places.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import type { Guild } from "../../support/emulators/discord/guild.ts";

describe("Discord emulator: conversations through discord.js", () => {
  let dc: DiscordEmulator;
  let bot: Bot;
  let ann: Person;
  let guild: Guild;
  let channel: Channel;
  let client: Client;

  /** Logs in; `answer` is called for every message of others. */
  async function connect(answer: (message: Message) => unknown = () => undefined): Promise<void> {
    client.on("messageCreate", (message) => {
      if (message.author.id !== bot.id) answer(message);
    });
    await logIn(client, bot);
  }

  async function textChannel() {
    const found = await client.channels.fetch(channel.id);
    if (found?.isTextBased() !== true || found.isDMBased() || !("threads" in found)) throw new Error("no text channel");
    return found;
  }

  beforeEach(async () => {
    dc = await startDiscordEmulator({ linkEmbedMs: 20 });
    bot = dc.bot({ username: "team_bot", messageContent: true });
    ann = dc.user({ name: "Ann" });
    guild = dc.guild({ name: "Work", members: [ann, bot] });
    channel = guild.text("general");
    client = clientOf(dc);
  });

  afterEach(async () => {
    await client.destroy();
    await dc.stop();
  });

  test("a mention in a channel is answered with a reply that pings", async () => {
    await connect((message) => message.reply(`you said ${message.cleanContent}`));
    const asked = channel.from(ann).says("hello", { mention: bot });
    const answer = await channel.botSays();
    expect(answer.content).toBe("you said @team_bot hello");
    expect(answer.message_reference?.message_id).toBe(asked.id);
    expect(answer.mentions.map((user) => user.id)).toEqual([ann.id]);
    expect(channel.texts()).toEqual([`<@${bot.id}> hello`, "you said @team_bot hello"]);
  });

  test("allowed_mentions keeps mentions and the reply's ping out", async () => {
    await connect((message) =>
      message.reply({ content: `<@${ann.id}> @everyone`, allowedMentions: { parse: [], repliedUser: false } }),
    );
    channel.from(ann).says("hi");
    expect(await channel.botSays()).toMatchObject({ mentions: [], mention_everyone: false });
    // Named without `replied_user`, a reply pings nobody either; without `allowed_mentions` it does.
    const reply = { content: "again", message_reference: { message_id: channel.messages()[0]?.id } };
    const path = `/channels/${channel.id}/messages` as const;
    await client.rest.post(path, { body: { ...reply, allowed_mentions: { parse: ["users"] } } });
    expect((await channel.botSays()).mentions).toEqual([]);
    await client.rest.post(path, { body: reply });
    expect((await channel.botSays()).mentions).toMatchObject([{ id: ann.id }]);
  });

  test("FC-083: a reply to the bot mentions it unless its ping is off", async () => {
    const seen: boolean[] = [];
    await connect((message) => seen.push(message.mentions.has(bot.id)));
    const said = await (await textChannel()).send("I am here");
    const from = channel.from(ann);
    from.says("to you", { replyTo: said });
    from.says("quietly", { replyTo: said, pings: false });
    await expect.poll(() => seen).toEqual([true, false]);
  });

  test("direct messages, also opened by the bot", async () => {
    await connect((message) => message.channel.isSendable() && message.channel.send(`dm ${message.content}`));
    const dm = ann.dm(bot);
    dm.says("hi");
    expect((await dm.botSays()).content).toBe("dm hi");
    const user = await client.users.fetch(ann.id);
    await user.send("by the way");
    expect((await dm.botSays()).content).toBe("by the way");
  });

  test("edits, deletions, reactions and typing in both directions", async () => {
    const heard: string[] = [];
    await connect(async (message) => {
      await message.react("👀");
      if (message.channel.isSendable()) await message.channel.sendTyping();
      const answer = await message.reply("one");
      await answer.edit("two");
      await answer.delete();
    });
    client.on("messageUpdate", (_before, after) => heard.push(`update ${after.content}`));
    client.on("messageDelete", (gone) => heard.push(`delete ${gone.id}`));
    client.on("messageReactionAdd", (reaction, user) => heard.push(`${reaction.emoji.name} by ${user.id}`));
    const from = channel.from(ann);
    const asked = from.says("do it");
    expect(await channel.botReacts(asked)).toBe("👀");
    await channel.botTypes({ after: asked });
    const answer = await channel.botSays();
    expect(
      (await channel.botEdits({ ...answer, content: "one" }, { matching: "two" })).edited_timestamp,
    ).not.toBeNull();
    await channel.botDeletes(answer);
    from.edits(asked, "done it");
    from.reacts(asked, "👍");
    from.deletes(asked);
    await expect.poll(() => heard).toContain(`delete ${asked.id}`);
    expect(heard).toContain("update done it");
    expect(heard).toContain(`👍 by ${ann.id}`);
    expect(channel.texts()).toEqual([]);
  });

  test("files of people can be downloaded, files of bots are seen by people", async () => {
    const texts: string[] = [];
    await connect(async (message) => {
      const url = message.attachments.first()?.url ?? "";
      texts.push(await (await fetch(url)).text());
      await message.reply({ content: "mine", files: [{ attachment: Buffer.from("answer"), name: "ä b.txt" }] });
    });
    channel.from(ann).says("look", { files: [{ name: "note.txt", bytes: "contents", mimeType: "text/plain" }] });
    const answer = await channel.botSays();
    expect(texts).toEqual(["contents"]);
    const [attachment] = answer.attachments;
    expect(attachment).toMatchObject({ filename: "ä b.txt", size: 6 });
    expect(await (await fetch(attachment?.url ?? "")).text()).toBe("answer");
  });

  test("FC-134: a thread from a message has its id, begins with a starter message, and marks the message", async () => {
    const types: number[] = [];
    const updates: string[] = [];
    client.on("messageUpdate", (_before, after) => updates.push(after.id));
    client.on("messageCreate", (message) => types.push(message.type));
    await connect(async (message) => {
      if (message.channelId !== channel.id) return;
      const thread = await message.startThread({ name: "Deploys", autoArchiveDuration: 1440 });
      await thread.send("let us talk here");
    });
    const asked = channel.from(ann).says("see https://example.org/page");
    const thread = await dc.until(() => channel.threads()[0]);
    expect(thread.id).toBe(asked.id);
    expect((await thread.botSays()).content).toBe("let us talk here");
    expect(thread.facts).toMatchObject({ autoArchiveDuration: 1440, archived: false });
    await dc.until(() => ((channel.now(asked)?.embeds.length ?? 0) > 0 ? true : undefined));
    expect(channel.now(asked)).toMatchObject({ flags: 1 << 5, edited_timestamp: null, embeds: [{ type: "link" }] });
    await expect.poll(() => updates).toEqual([asked.id, asked.id]);
    expect(types).toContain(21);
    const fetched = await textChannel();
    const again = fetched.threads.create({ name: "again", startMessage: asked.id });
    await expect(again).rejects.toMatchObject({ code: 160004 });
  });

  test("threads are archived, reopened by writing, locked; the bot hears of all of it", async () => {
    const events: string[] = [];
    client.on("threadCreate", (thread, isNew) => events.push(`create ${thread.name} ${isNew}`));
    client.on("threadUpdate", (before, after) => events.push(`archived ${before.archived} ${after.archived}`));
    client.on("threadDelete", (thread) => events.push(`delete ${thread.name}`));
    await connect();
    const thread = channel.thread("Plans", { by: ann });
    await expect.poll(() => events).toEqual(["create Plans true"]);
    thread.archives();
    const found = (await client.channels.fetch(thread.id)) as ThreadChannel;
    await found.send("back again");
    expect(thread.facts.archived).toBe(false);
    thread.locks();
    await expect(found.send("x")).rejects.toMatchObject({ code: 160005 });
    thread.archives();
    await expect(found.send("x")).rejects.toMatchObject({ code: 50083 });
    thread.deletes();
    await expect.poll(() => events.at(-1)).toBe("delete Plans");
    await expect(client.rest.get(`/channels/${thread.id}`)).rejects.toMatchObject({ code: 10003 });
    expect(events.filter((event) => event.startsWith("archived"))).toEqual([
      "archived false true",
      "archived true false",
      "archived false false",
      "archived false true",
    ]);
  });

  test("forum posts of people and of bots", async () => {
    await connect((message) => message.reply("welcome"));
    const forum = guild.forum("help", { tags: ["bug"], requireTag: true });
    const post = forum.post("It broke", "what now?", { by: ann, mention: bot, tags: ["bug"] });
    expect(post.messages()[0]?.id).toBe(post.id);
    expect((await post.botSays()).content).toBe("welcome");
    const found = await client.channels.fetch(forum.id);
    if (found?.isThreadOnly() !== true) throw new Error("no forum");
    await expect(found.threads.create({ name: "News", message: { content: "x" } })).rejects.toMatchObject({
      code: 40067,
    });
    const tag = found.availableTags[0]?.id ?? "";
    const made = await found.threads.create({ name: "News", message: { content: "first" }, appliedTags: [tag] });
    expect(forum.inThread(made.id).texts()).toEqual(["first"]);
    expect((await made.fetchStarterMessage())?.content).toBe("first");
  });

  test("a private thread is seen by its members only", async () => {
    const events: string[] = [];
    client.on("threadCreate", (thread) => events.push(thread.name));
    await connect((message) => message.reply("in"));
    const thread = channel.thread("secret", { by: ann, private: true });
    thread.from(ann).says("not for you");
    await expect(client.rest.get(`/channels/${thread.id}`)).rejects.toMatchObject({ code: 50001 });
    thread.adds(bot);
    await expect.poll(() => events).toEqual(["secret"]);
    thread.from(ann).says("for you");
    expect((await thread.botSays()).content).toBe("in");
    expect(thread.texts()).toEqual(["not for you", "for you", "in"]);
  });

  test("messages are read back in pages: newest first, before, after, around", async () => {
    await connect();
    const ids = Array.from({ length: 7 }, (_, i) => channel.from(ann).says(`m${i}`).id);
    const { messages } = await textChannel();
    const texts = async (options: Parameters<typeof messages.fetch>[0]) =>
      [...((await messages.fetch(options as { limit: number })) as Map<string, Message>).values()].map(
        (m) => m.content,
      );
    expect(await texts({ limit: 2 })).toEqual(["m6", "m5"]);
    expect(await texts({ limit: 2, after: ids[1] ?? "" })).toEqual(["m3", "m2"]);
    expect(await texts({ limit: 2, before: ids[2] ?? "" })).toEqual(["m1", "m0"]);
    expect(await texts({ limit: 3, around: ids[3] ?? "" })).toEqual(["m4", "m3", "m2"]);
  });

  test("channels and guilds come and go", async () => {
    const events: string[] = [];
    await connect();
    client.on("channelDelete", (gone) => events.push(`channel ${gone.id}`));
    client.on("guildDelete", (gone) => events.push(`guild ${gone.id}`));
    client.on("guildUnavailable", (gone) => events.push(`outage ${gone.id}`));
    client.on("guildAvailable", (back) => events.push(`back ${back.id}`));
    client.on(Events.GuildCreate, (joined) => events.push(`joined ${joined.name}`));
    channel.deletes();
    guild.goesDown();
    guild.comesBack();
    const other = dc.guild({ name: "Other", members: [ann] });
    other.adds(bot);
    guild.kicks(bot);
    await expect
      .poll(() => events)
      .toEqual([
        `channel ${channel.id}`,
        `outage ${guild.id}`,
        `back ${guild.id}`,
        "joined Other",
        `guild ${guild.id}`,
      ]);
  });
});
