import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bot, Person as DiscordPerson } from "../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import { say } from "../support/emulators/model/index.ts";
import type { App, Person as SlackPerson } from "../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

const NOTES = "Grüße from the roof\nThe ladder is green";
/** The model answers with what it reads of the file. */
const SEEN = /I read: > Grüße from the roof > The ladder is green$/;

let dc: DiscordEmulator;
let sl: SlackEmulator;
let bot: Bot;
let app: App;
let onDiscord: DiscordPerson;
let onSlack: SlackPerson;
let bridge: TestBridge;

beforeAll(async () => {
  dc = await startDiscordEmulator();
  bot = dc.bot({ username: "switchy", messageContent: true });
  onDiscord = dc.user({ name: "Ann" });
  dc.guild({ name: "Work", members: [onDiscord, bot] });
  sl = await startSlackEmulator();
  app = sl.app({ name: "Switchyard" });
  onSlack = sl.user({ name: "ann" });
  bridge = await startTestBridge({
    model: modelRules([
      /./,
      ({ request }) => {
        const content = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
        const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
        const lines = text.split("\n").filter((line) => line.startsWith("> "));
        return say(`I read: ${lines.join(" ")}${/: (files of this format cannot be read)/.exec(text)?.[1] ?? ""}`);
      },
    ]),
    config: {
      channels: {
        discord: { token: bot.token, apiUrl: dc.apiUrl, dmPolicy: "open", allowFrom: ["*"] },
        slack: {
          botToken: app.botToken,
          appToken: app.appToken,
          apiUrl: sl.apiUrl,
          dmPolicy: "open",
          allowFrom: ["*"],
          pacing: false,
        },
      },
    },
  });
  await dc.connected(bot);
  await app.connected();
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await dc?.stop();
  await sl?.stop();
});

const plain = (text: string): string => text.replaceAll("&gt;", ">").replaceAll("\\>", ">");

test("FC-202: a text file on Telegram is read, and another file is one line", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("what is in it?", { files: [{ name: "notes.md", bytes: NOTES, as: "document" }] });
  await dm.botSays({ matching: SEEN });
  dm.says("and in this?", { files: [{ name: "a.zip", bytes: "PK\u0003\u0004\u0000\u0000", as: "document" }] });
  await dm.botSays({ matching: "I read: files of this format cannot be read" });
});

test("FC-202: Discord's message.txt, a long question that its client made a file, is read", async () => {
  const dm = onDiscord.dm(bot);
  dm.says("", { files: [{ name: "message.txt", bytes: NOTES, mimeType: "text/plain; charset=utf-8" }] });
  const answer = await dm.botSays({ matching: /I read:/, within: 15_000 });
  expect(plain(answer.content)).toMatch(SEEN);
});

test("FC-202: a Slack snippet is read", async () => {
  const dm = onSlack.dm(app);
  dm.says("", { files: [{ name: "Untitled.txt", bytes: NOTES }] });
  const answer = await dm.botSays({ matching: /I read:/ });
  expect(plain(answer.text)).toMatch(SEEN);
});

test("FC-202: a text file on the chat page is read", async () => {
  const channel = await bridge.web.channel("Files");
  await channel.says("what is in it?", { files: [new File([NOTES], "notes.csv", { type: "text/csv" })] });
  await channel.hears(/The ladder is green/);
});
