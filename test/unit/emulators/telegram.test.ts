import { Bot as GrammyBot } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";

describe("Telegram emulator with the real grammY", () => {
  let tg: TelegramEmulator;
  const running: GrammyBot[] = [];

  beforeEach(async () => {
    tg = await startTelegramEmulator();
  });

  afterEach(async () => {
    for (const bot of running.splice(0)) await bot.stop();
    await tg.stop();
  });

  function client(token: string): GrammyBot {
    return new GrammyBot(token, { client: { apiRoot: tg.apiRoot } });
  }

  function polls(bot: GrammyBot): void {
    running.push(bot);
    void bot.start();
  }

  test("a person writes in a private chat, the polling bot answers there", async () => {
    const account = tg.bot({ username: "echo_bot" });
    const bot = client(account.token);
    bot.on("message:text", (ctx) => ctx.reply(`you said ${ctx.message.text}`));
    polls(bot);

    const dm = tg.user({ name: "Ann" }).dm(account);
    dm.says("hello");
    const answer = await dm.botSays();
    expect(answer.text).toBe("you said hello");
    expect(dm.texts()).toEqual(["hello", "you said hello"]);
    expect(tg.calls("sendMessage").map((call) => call.params)).toEqual([{ chat_id: dm.id, text: "you said hello" }]);
  });
});
