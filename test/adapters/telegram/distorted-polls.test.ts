import { afterEach, beforeEach, expect, it } from "vitest";
import { begins } from "../../faults/begins.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { TELEGRAM_PLAYS } from "../../support/emulators/telegram/fault-plays.ts";
import { running } from "./host.ts";

let tg: TelegramEmulator;
beforeEach(async () => {
  tg = await startTelegramEmulator();
});
afterEach(() => tg.stop());

it("IN-3: a batch in the wrong order is taken in the order of its numbers, and all of it is confirmed", async () => {
  const bot = tg.bot({ username: "switchy_bot" });
  const chat = tg.user({ name: "Ann" }).dm(bot);
  const ends = await begins(TELEGRAM_PLAYS, "reorder", tg, { strength: 1 });
  for (const text of ["one", "two", "three"]) chat.says(text);
  await using it = await running({ own: { botToken: bot.token, apiRoot: tg.apiRoot } });
  await it.host.until(() => it.host.events.length === 3, "three messages");
  expect(it.host.texts()).toEqual(["one", "two", "three"]);
  await tg.caughtUp(bot);
  await ends();
});
