import { type Api, Bot as GrammyBot } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot, Person } from "../../support/emulators/telegram/accounts.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";

describe("Telegram emulator: groups, forums, topics, memberships", () => {
  let tg: TelegramEmulator;
  let account: Bot;
  let ann: Person;
  let api: Api;

  beforeEach(async () => {
    tg = await startTelegramEmulator();
    account = tg.bot({ username: "team_bot", canReadAllGroupMessages: true });
    ann = tg.user({ name: "Ann", username: "ann" });
    api = new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot } }).api;
  });

  afterEach(() => tg.stop());

  async function received(): Promise<Awaited<ReturnType<Api["getUpdates"]>>> {
    const updates = await api.getUpdates({ allowed_updates: ["message", "my_chat_member"] });
    const last = updates.at(-1);
    if (last !== undefined) await api.getUpdates({ offset: last.update_id + 1 });
    return updates;
  }

  test("a topic's messages carry its id and answer its opening; General's carry none", async () => {
    const forum = tg.forum({ title: "Work", members: [ann, account] });
    const topic = forum.topic("Deploys");
    topic.from(ann).says("in the topic");
    forum.from(ann).says("in General");
    const [opened, inTopic, inGeneral] = (await received()).map((u) => u.message);
    expect(opened).toMatchObject({ message_thread_id: topic.threadId, forum_topic_created: { name: "Deploys" } });
    expect(opened?.message_id).toBe(topic.threadId);
    expect(inTopic).toMatchObject({
      message_thread_id: topic.threadId,
      is_topic_message: true,
      chat: { is_forum: true },
    });
    expect(inTopic?.reply_to_message).toMatchObject({ forum_topic_created: { name: "Deploys" } });
    expect(inGeneral?.message_thread_id).toBeUndefined();
    expect(inGeneral?.reply_to_message).toBeUndefined();
    await api.sendMessage(forum.id, "to the topic", { message_thread_id: topic.threadId });
    await api.sendMessage(forum.id, "to General");
    expect(topic.texts().slice(1)).toEqual(["in the topic", "to the topic"]);
    expect(tg.messages(forum, null).map((m) => m.text)).toEqual(["in General", "to General"]);
    expect(tg.messages(forum)).toHaveLength(5);
  });

  test("a reply chain in a group without topics has a thread id and is no topic", async () => {
    const group = tg.group({ title: "Plain", members: [ann, account], supergroup: true });
    const root = group.from(ann).says("root");
    const second = group.from(ann).says("second", { replyTo: root });
    group.from(ann).says("third", { replyTo: second });
    const messages = (await received()).map((u) => u.message);
    expect(messages.map((m) => m?.message_thread_id)).toEqual([undefined, root.message_id, root.message_id]);
    expect(messages.map((m) => m?.is_topic_message)).toEqual([undefined, undefined, undefined]);
    expect(messages[2]?.reply_to_message?.text).toBe("second");
    expect(messages[2]?.reply_to_message?.reply_to_message).toBeUndefined();
  });

  test("a bot with the right opens, renames, closes, reopens and deletes topics", async () => {
    const forum = tg.forum({ title: "Work", members: [ann, account], admins: [account] });
    const made = await api.createForumTopic(forum.id, "research");
    const topic = forum.inTopic(made.message_thread_id);
    await api.sendMessage(forum.id, "child speaking", { message_thread_id: topic.threadId });
    expect(topic.texts()).toEqual(["", "child speaking"]);
    await api.editForumTopic(forum.id, topic.threadId, { name: "research (done)" });
    expect(topic.name).toBe("research (done)");
    await api.closeForumTopic(forum.id, topic.threadId);
    expect(topic.state).toBe("closed");
    expect(() => topic.from(ann).says("anybody?")).toThrow("the topic is closed");
    await api.reopenForumTopic(forum.id, topic.threadId);
    topic.from(ann).says("back again");
    await api.deleteForumTopic(forum.id, topic.threadId);
    expect(topic.messages()).toEqual([]);
    expect(forum.topics()).toEqual([]);
  });

  test("private chats have topics when the bot has them enabled", async () => {
    const topical = tg.bot({ username: "topic_bot", hasTopicsEnabled: true });
    const other = new GrammyBot(topical.token, { client: { apiRoot: tg.apiRoot } });
    expect((await other.api.getMe()).has_topics_enabled).toBe(true);
    expect((await api.getMe()).has_topics_enabled).toBe(false);
    const dm = ann.dm(topical);
    const topic = dm.topic("Trip");
    topic.says("where to?");
    const message = (await other.api.getUpdates()).at(-1)?.message;
    expect(message).toMatchObject({ message_thread_id: topic.topicId, is_topic_message: true, text: "where to?" });
    const made = await other.api.createForumTopic(dm.id, "Budget");
    await other.api.sendMessage(dm.id, "cheap", { message_thread_id: made.message_thread_id });
    expect((await dm.inTopic(made.message_thread_id).botSays({ matching: "cheap" })).text).toBe("cheap");
  });

  test("an upgraded group tells both ids, and the old one is refused with the new", async () => {
    const group = tg.group({ title: "Small", members: [ann, account] });
    const upgraded = tg.migrate(group);
    const [left, entered] = (await received()).map((u) => u.message);
    expect(left).toMatchObject({ chat: { id: group.id }, migrate_to_chat_id: upgraded.id });
    expect(entered).toMatchObject({ chat: { id: upgraded.id }, migrate_from_chat_id: group.id });
    await expect(api.sendMessage(group.id, "hi")).rejects.toMatchObject({
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: upgraded.id },
    });
    await api.sendMessage(upgraded.id, "hi");
    expect(upgraded.texts()).toEqual(["", "hi"]);
  });

  test("memberships: added, promoted, kicked, blocked and unblocked, each told to the bot", async () => {
    const bob = tg.user({ name: "Bob" });
    const group = tg.group({ title: "Team", members: [ann] });
    await expect(api.sendMessage(group.id, "hi")).rejects.toThrow("chat not found");
    group.adds(account);
    group.adds(bob);
    group.promotes(account);
    expect(await api.getChatMember(group.id, account.id)).toMatchObject({ status: "administrator" });
    expect((await api.getChatAdministrators(group.id)).map((m) => m.user.id)).toEqual([ann.id, account.id]);
    expect(await api.getChatMemberCount(group.id)).toBe(3);
    expect(await api.getChat(group.id)).toMatchObject({ id: group.id, type: "group", title: "Team" });
    group.kicks(account);
    ann.blocks(account);
    const updates = await received();
    const statuses = updates.flatMap((u) => u.my_chat_member?.new_chat_member.status ?? []);
    expect(statuses).toEqual(["member", "administrator", "kicked", "kicked"]);
    expect(updates.flatMap((u) => u.message?.new_chat_members?.map((m) => m.first_name) ?? [])).toEqual([
      "team_bot",
      "Bob",
    ]);
    await expect(api.sendMessage(group.id, "hi")).rejects.toThrow("403: Forbidden: bot was kicked from the group chat");
    await expect(api.sendMessage(ann.id, "hi")).rejects.toThrow("403: Forbidden: bot was blocked by the user");
    ann.unblocks(account);
    await api.sendMessage(ann.id, "hi again");
    expect(ann.dm(account).texts()).toEqual(["hi again"]);
  });

  test("messages of another bot arrive only where that was switched on", async () => {
    const open = tg.bot({ username: "open_bot", canReadAllGroupMessages: true, seesOtherBots: true });
    const group = tg.group({ title: "Bots", members: [ann, account, open] });
    group.from(open).says("beep", { mention: account });
    await api.sendMessage(group.id, "boop");
    expect(account.pendingUpdates).toBe(0);
    expect(open.pendingUpdates).toBe(1);
  });

  test("a person without username is mentioned by a text mention", async () => {
    const group = tg.group({ title: "Team", members: [ann, account] });
    const nameless = tg.user({ name: "Zoë" });
    group.adds(nameless);
    group.from(ann).says("look at #this", { mention: nameless });
    const message = (await received()).at(-1)?.message;
    expect(message?.text).toBe("Zoë look at #this");
    expect(message?.entities).toMatchObject([
      { type: "text_mention", offset: 0, length: 3, user: { id: nameless.id } },
      { type: "hashtag", offset: 12, length: 5 },
    ]);
  });

  test("an injected update arrives as it is, whatever it is", async () => {
    const id = tg.inject(account, { message: { nonsense: true } });
    expect(await received()).toEqual([{ update_id: id, message: { nonsense: true } }]);
  });
});
