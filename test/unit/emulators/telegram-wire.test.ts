import { readFileSync } from "node:fs";
import { Bot as GrammyBot } from "grammy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bot } from "../../support/emulators/telegram/accounts.ts";
import type { Conversation } from "../../support/emulators/telegram/conversation.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { IMPLEMENTED_METHODS } from "../../support/emulators/telegram/method-names.ts";

describe("Telegram emulator: encodings and formatting", () => {
  let tg: TelegramEmulator;
  let account: Bot;
  let dm: Conversation;

  beforeEach(async () => {
    tg = await startTelegramEmulator();
    account = tg.bot({ username: "wire_bot" });
    dm = tg.user({ name: "Ann" }).dm(account);
  });

  afterEach(() => tg.stop());

  test("HTML becomes text and entities", async () => {
    const source =
      '<b>bold <i>both</i></b> <a href="https://x.org/?a=1&amp;b=2">link</a> &lt;x&gt;&#128512; ' +
      '<pre><code class="language-ts">let a</code></pre><blockquote expandable>q</blockquote><tg-spoiler>s</tg-spoiler>';
    const { api } = new GrammyBot(account.token, { client: { apiRoot: tg.apiRoot } });
    const { text, entities } = await api.sendMessage(dm.id, source, { parse_mode: "HTML" });
    expect(text).toBe("bold both link <x>😀 let aqs");
    expect(entities).toEqual([
      { type: "bold", offset: 0, length: 9 },
      { type: "italic", offset: 5, length: 4 },
      { type: "text_link", offset: 10, length: 4, url: "https://x.org/?a=1&b=2" },
      { type: "pre", offset: 21, length: 5, language: "ts" },
      { type: "expandable_blockquote", offset: 26, length: 1 },
      { type: "spoiler", offset: 27, length: 1 },
    ]);
  });

  test("parameters may come as form fields or in the query, as strings", async () => {
    const keyboard = JSON.stringify({ inline_keyboard: [[{ text: "a", callback_data: "b" }]] });
    const body = new URLSearchParams({
      chat_id: String(dm.id),
      text: "form",
      reply_markup: keyboard,
      disable_notification: "true",
    });
    const form = await fetch(`${tg.apiRoot}/bot${account.token}/SENDMESSAGE`, { method: "POST", body });
    expect(await form.json()).toMatchObject({ ok: true, result: { text: "form", chat: { id: dm.id } } });
    await fetch(`${tg.apiRoot}/bot${account.token}/sendMessage?chat_id=${dm.id}&text=query`);
    expect(tg.calls("sendMessage").map((call) => call.params.chat_id)).toEqual([dm.id, dm.id]);
    expect(tg.calls("sendMessage")[0]?.params.disable_notification).toBe(true);
    const unknown = await fetch(`${tg.apiRoot}/bot${account.token}/dance`);
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { ok: false, error_code: 404, description: "Not Found: method not found" },
    ]);
    const wrong = await fetch(`${tg.apiRoot}/bot12345:nobody/getMe`);
    expect([wrong.status, await wrong.json()]).toEqual([
      401,
      { ok: false, error_code: 401, description: "Unauthorized" },
    ]);
  });

  test("the committed schema covers exactly the implemented methods", () => {
    const file = new URL("../../support/emulators/telegram/bot-api.schema.json", import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8")) as { methods: Record<string, unknown> };
    expect(Object.keys(schema.methods)).toEqual([...IMPLEMENTED_METHODS]);
  });
});
