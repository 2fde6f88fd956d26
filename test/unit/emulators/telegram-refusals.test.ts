import { type Api, Bot as GrammyBot, InlineKeyboard } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot, Person } from "../../support/emulators/telegram/accounts.ts";
import type { Conversation } from "../../support/emulators/telegram/conversation.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import type { Forum, Group } from "../../support/emulators/telegram/groups.ts";

interface Scene {
  tg: TelegramEmulator;
  account: Bot;
  ann: Person;
  dm: Conversation;
  group: Group;
  forum: Forum;
  api: Api;
}

/** What is refused, in which words, and how it is brought about. */
const REFUSALS: [string, string, (scene: Scene) => Promise<unknown>][] = [
  ["an unknown chat", "400: Bad Request: chat not found", ({ api }) => api.sendMessage(4711, "hi")],
  [
    "a person met in a group who never pressed Start",
    "403: Forbidden: bot can't initiate conversation with a user",
    ({ api, tg, group }) => {
      const bob = tg.user({ name: "Bob" });
      group.adds(bob);
      return api.sendMessage(bob.id, "hi");
    },
  ],
  [
    "another bot",
    "403: Forbidden: bot can't send messages to bots",
    ({ api, tg }) => api.sendMessage(tg.bot({ username: "b_bot" }).id, "hi"),
  ],
  [
    "a group the bot has left",
    "403: Forbidden: bot is not a member of the group chat",
    async ({ api, group }) => {
      await api.leaveChat(group.id);
      return api.sendMessage(group.id, "hi");
    },
  ],
  ["an empty text", "400: Bad Request: message text is empty", ({ api, dm }) => api.sendMessage(dm.id, "")],
  ["a text of white space", "400: Bad Request: message text is empty", ({ api, dm }) => api.sendMessage(dm.id, " \n ")],
  [
    "a text of 4097 units",
    "400: Bad Request: message is too long",
    ({ api, dm }) => api.sendMessage(dm.id, "x".repeat(4097)),
  ],
  [
    "an edit to 4097 units",
    "400: Bad Request: message is too long",
    async ({ api, dm }) => api.editMessageText(dm.id, (await api.sendMessage(dm.id, "a")).message_id, "x".repeat(4097)),
  ],
  [
    "a caption of 1025 units",
    "400: Bad Request: message caption is too long",
    ({ api, dm }) => api.sendDocument(dm.id, fileId(dm), { caption: "x".repeat(1025) }),
  ],
  [
    "an unknown file id",
    "400: Bad Request: wrong file identifier/HTTP URL specified",
    ({ api, dm }) => api.sendPhoto(dm.id, "nope"),
  ],
  [
    "getFile of an unknown file",
    "400: Bad Request: wrong file_id or the file is temporarily unavailable",
    ({ api }) => api.getFile("nope"),
  ],
  [
    "getFile of more than 20 MB",
    "400: Bad Request: file is too big",
    ({ api, dm }) => api.getFile(fileId(dm, Buffer.alloc(20 * 1024 * 1024 + 1))),
  ],
  ["an unknown parse mode", "400: Bad Request: unsupported parse_mode", ({ api, dm }) => html(api, dm, "x", "BBCode")],
  [
    "MarkdownV2, which the emulator does not read",
    "can't parse entities: parse_mode MarkdownV2 is not supported by this emulator",
    ({ api, dm }) => html(api, dm, "*x*", "MarkdownV2"),
  ],
  [
    "an unknown tag",
    'Bad Request: can\'t parse entities: Unsupported start tag "h1" at byte offset 3',
    ({ api, dm }) => html(api, dm, "ab <h1>x</h1>"),
  ],
  [
    "a bare less-than sign",
    'Bad Request: can\'t parse entities: Unsupported start tag "" at byte offset 2',
    ({ api, dm }) => html(api, dm, "1 < 2"),
  ],
  [
    "an unclosed tag",
    "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    ({ api, dm }) => html(api, dm, "<b>x"),
  ],
  [
    "bad nesting",
    'can\'t parse entities: Unmatched end tag at byte offset 7, expected "</i>", found "</b>"',
    ({ api, dm }) => html(api, dm, "<b><i>x</b></i>"),
  ],
  [
    "an end tag alone",
    "can't parse entities: Unexpected end tag at byte offset 1",
    ({ api, dm }) => html(api, dm, "x</b>"),
  ],
  [
    "a cut start tag",
    "can't parse entities: Unclosed start tag at byte offset 0",
    ({ api, dm }) => html(api, dm, '<a href="https://x.org"'),
  ],
  ["a bare ampersand", 'Unsupported or unescaped "&" at byte offset 2', ({ api, dm }) => html(api, dm, "a & b")],
  ["a named entity beyond the four", 'Unsupported or unescaped "&"', ({ api, dm }) => html(api, dm, "a&nbsp;b")],
  [
    "an entity past the end",
    "400: Bad Request: entity beginning at UTF-16 offset 0 ends after the end of the text",
    ({ api, dm }) => api.sendMessage(dm.id, "ab", { entities: [{ type: "bold", offset: 0, length: 3 }] }),
  ],
  [
    "an edit without a change",
    "400: Bad Request: message is not modified",
    async ({ api, dm }) => api.editMessageText(dm.id, (await api.sendMessage(dm.id, "a")).message_id, "a"),
  ],
  [
    "an edit of somebody else's message",
    "400: Bad Request: message can't be edited",
    ({ api, dm }) => api.editMessageText(dm.id, dm.says("mine").message_id, "yours"),
  ],
  [
    "an edit of nothing",
    "400: Bad Request: message to edit not found",
    ({ api, dm }) => api.editMessageText(dm.id, 99, "a"),
  ],
  [
    "a deletion of nothing",
    "400: Bad Request: message to delete not found",
    ({ api, dm }) => api.deleteMessage(dm.id, 99),
  ],
  [
    "a deletion of others' messages without the right",
    "400: Bad Request: message can't be deleted",
    ({ api, ann, group }) => api.deleteMessage(group.id, group.from(ann).says("stays").message_id),
  ],
  [
    "a reaction to nothing",
    "400: Bad Request: message to react not found",
    ({ api, dm }) => api.setMessageReaction(dm.id, 99, [{ type: "emoji", emoji: "👍" }]),
  ],
  [
    "two reactions",
    "400: Bad Request: REACTIONS_TOO_MANY",
    ({ api, dm }) =>
      api.setMessageReaction(dm.id, dm.says("x").message_id, [
        { type: "emoji", emoji: "👍" },
        { type: "emoji", emoji: "👎" },
      ]),
  ],
  [
    "a reaction that is no reaction emoji",
    "400: Bad Request: REACTION_INVALID",
    ({ api, dm }) =>
      api.raw.setMessageReaction({
        chat_id: dm.id,
        message_id: dm.says("x").message_id,
        reaction: [{ type: "emoji", emoji: "🦖" as "👍" }],
      }),
  ],
  [
    "a reply to a deleted message",
    "400: Bad Request: message to be replied not found",
    ({ api, dm }) => {
      const gone = dm.says("gone");
      dm.deletes(gone);
      return api.sendMessage(dm.id, "what?", { reply_parameters: { message_id: gone.message_id } });
    },
  ],
  [
    "a quote that is not in the message",
    "400: Bad Request: QUOTE_TEXT_INVALID",
    ({ api, dm }) =>
      api.sendMessage(dm.id, "what?", { reply_parameters: { message_id: dm.says("abc").message_id, quote: "xyz" } }),
  ],
  [
    "the General topic by its id",
    "400: Bad Request: message thread not found",
    ({ api, forum }) => inThread(api, forum, 1),
  ],
  ["an unknown topic", "400: Bad Request: message thread not found", ({ api, forum }) => inThread(api, forum, 555)],
  [
    "a deleted topic",
    "400: Bad Request: message thread not found",
    ({ api, forum }) => {
      const topic = forum.topic("short-lived");
      topic.deletes();
      return inThread(api, forum, topic.threadId);
    },
  ],
  [
    "a closed topic",
    "400: Bad Request: TOPIC_CLOSED",
    ({ api, forum }) => {
      const topic = forum.topic("closed");
      topic.closes();
      return inThread(api, forum, topic.threadId);
    },
  ],
  [
    "a thread where there are none",
    "400: Bad Request: message thread not found",
    ({ api, dm }) => inThread(api, dm, 5),
  ],
  [
    "a topic without the right to manage topics",
    "400: Bad Request: not enough rights to create a topic",
    ({ api, forum, account }) => {
      forum.demotes(account);
      return api.createForumTopic(forum.id, "x");
    },
  ],
  [
    "a topic in a plain group",
    "400: Bad Request: the chat is not a forum",
    ({ api, group }) => api.createForumTopic(group.id, "x"),
  ],
  [
    "a topic without a name",
    "400: Bad Request: TOPIC_TITLE_EMPTY",
    ({ api, forum }) => api.createForumTopic(forum.id, ""),
  ],
  [
    "a topic name of 129 units",
    "topic name is too long",
    ({ api, forum }) => api.createForumTopic(forum.id, "x".repeat(129)),
  ],
  [
    "closing an unknown topic",
    "400: Bad Request: TOPIC_ID_INVALID",
    ({ api, forum }) => api.closeForumTopic(forum.id, 555),
  ],
  [
    "reopening an open topic",
    "400: Bad Request: TOPIC_NOT_MODIFIED",
    ({ api, forum }) => api.reopenForumTopic(forum.id, forum.topic("open").threadId),
  ],
  [
    "callback data of 65 bytes",
    "400: Bad Request: BUTTON_DATA_INVALID",
    ({ api, dm }) =>
      api.sendMessage(dm.id, "x", { reply_markup: new InlineKeyboard().text("a", `${"ä".repeat(32)}b`) }),
  ],
  [
    "a callback query that never was",
    "400: Bad Request: query is too old and response timeout expired or query ID is invalid",
    ({ api }) => api.answerCallbackQuery("1"),
  ],
  ["101 commands", "400: Bad Request: BOT_COMMANDS_TOO_MUCH", ({ api }) => api.setMyCommands(commands(101, "x"))],
  [
    "a command with a capital",
    "400: Bad Request: BOT_COMMAND_INVALID",
    ({ api }) => api.setMyCommands(commands(1, "New")),
  ],
  [
    "a command with a hyphen",
    "400: Bad Request: BOT_COMMAND_INVALID",
    ({ api }) => api.setMyCommands(commands(1, "a-b")),
  ],
  [
    "a command of 33 letters",
    "400: Bad Request: BOT_COMMAND_INVALID",
    ({ api }) => api.setMyCommands(commands(1, "x".repeat(33))),
  ],
  [
    "a command without a description",
    "400: Bad Request: BOT_COMMAND_DESCRIPTION_INVALID",
    ({ api }) => api.setMyCommands([{ command: "new", description: "" }]),
  ],
  [
    "a webhook without HTTPS",
    "bad webhook: An HTTPS URL must be provided for webhook",
    ({ api }) => api.setWebhook("http://example.org/hook"),
  ],
  [
    "a secret token with a blank",
    "400: Bad Request: secret token contains unallowed characters",
    ({ api }) => api.setWebhook("https://example.org/hook", { secret_token: "a b" }),
  ],
  [
    "polling beside a webhook",
    "409: Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    async ({ api }) => {
      await api.setWebhook("https://localhost:1/hook");
      return api.getUpdates().finally(() => api.deleteWebhook());
    },
  ],
  [
    "a revoked token",
    "401: Unauthorized",
    ({ api, tg, account }) => {
      tg.revokes(account);
      return api.getMe();
    },
  ],
  [
    "a parameter the method does not have",
    '400: Bad Request: unknown parameter "reply_to"',
    ({ api, dm }) => api.raw.sendMessage({ chat_id: dm.id, text: "x", ...{ reply_to: 3 } }),
  ],
  [
    "a chat action that is none",
    "400: Bad Request: wrong parameter action",
    ({ api, dm }) => api.sendChatAction(dm.id, "dancing" as "typing"),
  ],
  [
    "a method outside of the emulator",
    "404: Not Found: method not found (sendDice is not part of this emulator)",
    ({ api, dm }) => api.sendDice(dm.id, "🎲"),
  ],
];

function html(api: Api, dm: Conversation, text: string, mode = "HTML"): Promise<unknown> {
  return api.sendMessage(dm.id, text, { parse_mode: mode as "HTML" });
}

function inThread(api: Api, place: { id: number }, thread: number): Promise<unknown> {
  return api.sendMessage(place.id, "x", { message_thread_id: thread });
}

function commands(count: number, name: string): { command: string; description: string }[] {
  return Array.from({ length: count }, () => ({ command: name, description: "d" }));
}

function fileId(dm: Conversation, bytes: Uint8Array = Buffer.from("x")): string {
  return dm.says("", { files: [{ name: "a.txt", bytes }] }).document?.file_id ?? "";
}

describe("Telegram emulator: what the platform refuses", () => {
  let scene: Scene;

  beforeEach(async () => {
    const tg = await startTelegramEmulator();
    const account = tg.bot({ username: "team_bot" });
    const ann = tg.user({ name: "Ann" });
    scene = {
      tg,
      account,
      ann,
      dm: ann.dm(account),
      group: tg.group({ title: "Plain", members: [ann, account] }),
      forum: tg.forum({ title: "Forum", members: [ann, account], admins: [account] }),
      api: new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot } }).api,
    };
  });

  afterEach(() => scene.tg.stop());

  test.each(REFUSALS)("%s is refused: %s", async (_what, words, act) => {
    await expect(act(scene)).rejects.toThrow(words);
  });

  test("what is just allowed is processed", async () => {
    const { api, dm, forum } = scene;
    await api.sendMessage(dm.id, "x".repeat(4096));
    await api.sendMessage(dm.id, `<b>${"&lt;".repeat(4096)}</b>`, { parse_mode: "HTML" });
    await api.sendDocument(dm.id, fileId(dm), { caption: "x".repeat(1024) });
    await api.sendMessage(dm.id, "x", { reply_markup: new InlineKeyboard().text("a", "ä".repeat(32)) });
    await api.sendMessage(dm.id, "x", { reply_parameters: { message_id: 999, allow_sending_without_reply: true } });
    await api.setMyCommands(
      Array.from({ length: 100 }, (_, i) => ({ command: `c_${i}`, description: "d".repeat(256) })),
    );
    await api.sendChatAction(forum.id, "typing", { message_thread_id: 1 });
    expect(forum.actions()).toHaveLength(1);
  });
});
