import { createServer } from "node:http";
import { type RunnerHandle, run } from "@grammyjs/runner";
import { Bot as GrammyBot, InlineKeyboard, InputFile, webhookCallback } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot } from "../../support/emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";

describe("Telegram emulator: conversations with the real grammY", () => {
  let tg: TelegramEmulator;
  const cleanUp: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    tg = await startTelegramEmulator();
  });

  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
    await tg.stop();
  });

  function client(account: Bot): GrammyBot {
    return new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot } });
  }

  function polls(bot: GrammyBot, allowed: Parameters<GrammyBot["start"]>[0] = {}): GrammyBot {
    cleanUp.push(() => bot.stop());
    void bot.start(allowed);
    return bot;
  }

  function echo(account: Bot): GrammyBot {
    const bot = client(account);
    bot.on(["message:text", "channel_post:text"], (ctx) => ctx.reply(`you said ${ctx.msg.text}`));
    return polls(bot);
  }

  test("a person writes in a private chat, the polling bot answers there", async () => {
    const account = tg.bot({ username: "echo_bot" });
    echo(account);
    const dm = tg.user({ name: "Ann" }).dm(account);
    dm.says("hello");
    expect((await dm.botSays()).text).toBe("you said hello");
    dm.says("again");
    expect((await dm.botSays()).text).toBe("you said again");
    expect(dm.texts()).toEqual(["hello", "you said hello", "again", "you said again"]);
    expect(tg.calls("sendMessage").map((call) => call.params)[0]).toEqual({ chat_id: dm.id, text: "you said hello" });
  });

  test("two bots of one person have two private chats under the same chat id", async () => {
    const [one, two] = [tg.bot({ username: "one_bot" }), tg.bot({ username: "two_bot" })];
    echo(one);
    const ann = tg.user({ name: "Ann" });
    ann.dm(two).says("for the other");
    ann.dm(one).says("for the first");
    await ann.dm(one).botSays();
    expect(ann.dm(one).id).toBe(ann.dm(two).id);
    expect(ann.dm(two).texts()).toEqual(["for the other"]);
    expect(two.pendingUpdates).toBe(1);
  });

  test("the runner reads the same queue, and a message's edits and reactions reach it", async () => {
    const account = tg.bot({ username: "runner_bot" });
    const bot = client(account);
    const seen: string[] = [];
    bot.on("edited_message:text", (ctx) => ctx.reply(`edited to ${ctx.msg.text}`));
    bot.on("message_reaction", (ctx) => {
      seen.push(...ctx.reactions().emojiAdded);
      return ctx.reply("thanks");
    });
    await bot.init();
    const runner: RunnerHandle = run(bot, {
      runner: { fetch: { allowed_updates: ["edited_message", "message_reaction"] } },
    });
    cleanUp.push(() => runner.stop());
    await tg.until(() => (account.isPolled ? true : undefined));
    const dm = tg.user({ name: "Ann" }).dm(account);
    const said = dm.says("helo");
    dm.edits(said, "hello");
    expect((await dm.botSays()).text).toBe("edited to hello");
    dm.reacts(said, "👍");
    expect((await dm.botSays()).text).toBe("thanks");
    expect(seen).toEqual(["👍"]);
  });

  test("updates are kept until an offset confirms them", async () => {
    const account = tg.bot({ username: "slow_bot" });
    const { api } = client(account);
    const dm = tg.user({ name: "Ann" }).dm(account);
    for (const text of ["a", "b", "c"]) dm.says(text);
    const first = await api.getUpdates({ limit: 2 });
    expect(first.map((u) => u.message?.text)).toEqual(["a", "b"]);
    expect(await api.getUpdates({ limit: 2 })).toEqual(first);
    const rest = await api.getUpdates({ offset: (first[1]?.update_id ?? 0) + 1 });
    expect(rest.map((u) => u.message?.text)).toEqual(["c"]);
    expect((await api.getUpdates({ offset: -1 })).map((u) => u.message?.text)).toEqual(["c"]);
    expect(await api.getUpdates({ offset: (rest[0]?.update_id ?? 0) + 1, timeout: 1 })).toEqual([]);
  });

  test("a webhook gets updates with its secret, again after a failure, and replies in its answer", async () => {
    const account = tg.bot({ username: "hook_bot" });
    const bot = new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot, canUseWebhookReply: () => true } });
    bot.on("message:text", (ctx) => ctx.reply(`hooked ${ctx.message.text}`));
    await bot.init();
    const handle = webhookCallback(bot, "http", { secretToken: "s3cret" });
    let failures = 2;
    const server = createServer((req, res) => {
      if (failures > 0) {
        failures -= 1;
        res.writeHead(500).end();
      } else void handle(req, res);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUp.push(() => new Promise((resolve) => server.close(resolve)));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await bot.api.setWebhook(`http://127.0.0.1:${port}/hook`, { secret_token: "s3cret" });
    const dm = tg.user({ name: "Ann" }).dm(account);
    dm.says("one");
    dm.says("two");
    expect((await dm.botSays()).text).toBe("hooked one");
    expect((await dm.botSays()).text).toBe("hooked two");
    await tg.caughtUp(account);
    const info = await bot.api.getWebhookInfo();
    expect(info).toMatchObject({ pending_update_count: 0, last_error_message: "Wrong response from the webhook: 500" });
    await bot.api.deleteWebhook();
    server.closeAllConnections();
  });

  test("privacy mode lets commands, mentions and replies through, nothing else", async () => {
    const account = tg.bot({ username: "shy_bot" });
    const [ann, bob] = [tg.user({ name: "Ann" }), tg.user({ name: "Bob" })];
    const group = tg.group({ title: "Team", members: [ann, bob, account] });
    const { api } = client(account);
    const own = await api.sendMessage(group.id, "I am here");
    group.from(ann).says("just talking");
    group.from(ann).says("/status");
    group.from(ann).says("/status@other_bot");
    group.from(bob).says("what now?", { mention: account });
    group.from(bob).says("yes", { replyTo: own });
    const texts = (await api.getUpdates()).map((u) => u.message?.text);
    expect(texts).toEqual(["/status", "@shy_bot what now?", "yes"]);
    group.promotes(account);
    group.from(ann).says("all of it");
    expect((await api.getUpdates()).at(-1)?.message?.text).toBe("all of it");
  });

  test("a bot that reads all messages sees files and albums, and fetches them", async () => {
    const account = tg.bot({ username: "file_bot", canReadAllGroupMessages: true });
    const ann = tg.user({ name: "Ann" });
    const group = tg.group({ title: "Team", members: [ann, account] });
    const { api } = client(account);
    group.from(ann).says("two pictures", {
      files: [
        { name: "a.png", bytes: "A" },
        { name: "b.png", bytes: "BB" },
      ],
    });
    const [first, second] = (await api.getUpdates()).map((u) => u.message);
    expect(first?.media_group_id).toBeDefined();
    expect(second?.media_group_id).toBe(first?.media_group_id);
    expect([first?.caption, second?.caption]).toEqual(["two pictures", undefined]);
    const file = await api.getFile(second?.photo?.at(-1)?.file_id ?? "");
    const download = await fetch(`${tg.apiRoot}/file/bot${account.token}/${file.file_path}`);
    expect(await download.text()).toBe("BB");
  });

  test("a bot sends documents and albums as multipart, with captions and buttons", async () => {
    const account = tg.bot({ username: "sender_bot" });
    const dm = tg.user({ name: "Ann" }).dm(account);
    const { api } = client(account);
    const sent = await api.sendDocument(dm.id, new InputFile(Buffer.from("# notes"), "my notes.md"), {
      caption: "<b>notes</b>",
      parse_mode: "HTML",
      reply_markup: new InlineKeyboard().text("Keep", "keep"),
    });
    expect(sent.document.file_name).toBe("my notes.md");
    expect(sent.document.file_size).toBe(7);
    expect(sent.caption_entities).toEqual([{ type: "bold", offset: 0, length: 5 }]);
    const album = await api.sendMediaGroup(dm.id, [
      { type: "photo", media: new InputFile(Buffer.from("1"), "1.jpg"), caption: "both" },
      { type: "photo", media: new InputFile(Buffer.from("2"), "2.jpg") },
    ]);
    expect(album.map((m) => m.caption)).toEqual(["both", undefined]);
    expect(dm.messages()).toHaveLength(3);
  });

  test("a button press is answered once, and the message is edited in place", async () => {
    const account = tg.bot({ username: "button_bot" });
    const bot = client(account);
    bot.command("ask", (ctx) =>
      ctx.reply("Sure?", { reply_markup: new InlineKeyboard().text("Yes", "y").text("No", "n") }),
    );
    bot.callbackQuery("y", async (ctx) => {
      await ctx.editMessageText("Done.");
      await ctx.answerCallbackQuery({ text: "ok" });
    });
    polls(bot);
    const ann = tg.user({ name: "Ann" });
    const dm = ann.dm(account);
    dm.says("/ask");
    const question = await dm.botSays();
    const pressed = ann.presses(question, "Yes");
    expect(await pressed.answer()).toEqual({ text: "ok" });
    expect(dm.now(question)?.text).toBe("Done.");
    expect(dm.stored(question).earlier.map((m) => m.text)).toEqual(["Sure?"]);
    await expect(bot.api.answerCallbackQuery(pressed.id)).rejects.toThrow("query is too old");
  });

  test("typing, reactions, drafts and command lists are seen", async () => {
    const account = tg.bot({ username: "busy_bot" });
    const dm = tg.user({ name: "Ann" }).dm(account);
    const said = dm.says("hi");
    const { api } = client(account);
    await api.sendChatAction(dm.id, "typing");
    expect((await dm.botTypes({ after: said })).action).toBe("typing");
    await api.setMessageReaction(dm.id, said.message_id, [{ type: "emoji", emoji: "👀" }]);
    expect(await dm.botReacts(said)).toBe("👀");
    await api.raw.sendMessageDraft({ chat_id: dm.id, draft_id: 1, text: "thin" });
    expect(dm.drafts().map((draft) => draft.text)).toEqual(["thin"]);
    const commands = [{ command: "new", description: "Start over" }];
    await api.setMyCommands(commands, { scope: { type: "all_private_chats" }, language_code: "de" });
    expect(account.commands({ type: "all_private_chats" }, "de")).toEqual(commands);
    expect(await api.getMyCommands({ scope: { type: "all_private_chats" }, language_code: "de" })).toEqual(commands);
    expect(await api.getMyCommands()).toEqual([]);
  });

  test("a channel's posts and edits arrive as channel posts, and the bot writes as the channel", async () => {
    const account = tg.bot({ username: "news_bot" });
    const channel = tg.channel({ title: "News", members: [tg.user({ name: "Ann" }), account], username: "news" });
    echo(account);
    channel.posts("first post");
    const answer = await channel.botSays();
    expect(answer).toMatchObject({ text: "you said first post", sender_chat: { id: channel.id, type: "channel" } });
    expect(answer.from).toBeUndefined();
  });
});
