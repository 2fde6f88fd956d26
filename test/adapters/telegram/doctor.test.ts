import { afterEach, beforeEach, expect, test } from "vitest";
import { telegramDoctor } from "../../../adapters/telegram/doctor.ts";
import type { AccountSettings } from "../../../src/core/settings.ts";
import { doctorTexts, telegramDoctorTexts } from "../../../src/core/texts/platforms/doctor.ts";
import { startTelegramEmulator, type TelegramEmulator } from "../../support/emulators/telegram/emulator.ts";
import { testSettings } from "../../support/test-settings.ts";

let tg: TelegramEmulator;
beforeEach(async () => {
  tg = await startTelegramEmulator();
});
afterEach(() => tg.stop());

function account(keys: object): AccountSettings {
  const found = testSettings({ channels: { telegram: { apiRoot: tg.apiRoot, ...keys } } }).accounts.find(
    (one) => one.channel === "telegram",
  );
  if (found === undefined) throw new Error("no telegram account");
  return found;
}

async function lines(one: AccountSettings): Promise<string[]> {
  const findings = await telegramDoctor(one, AbortSignal.timeout(5_000));
  return findings.map((finding) => `${finding.level}: ${finding.message}`);
}

test("OP-5: a good token names its bot", async () => {
  const bot = tg.bot({ username: "switchy_bot" });
  expect(await lines(account({ botToken: bot.token }))).toEqual([
    `ok: ${doctorTexts.tokenOf("@switchy_bot").message}`,
    `ok: ${telegramDoctorTexts.polls.message}`,
  ]);
});

test.each([
  [2_400, "ahead of"],
  [-2_400, "behind"],
])("FC-320: a clock that is %d s off is named with its fix", async (seconds, word) => {
  const bot = tg.bot({ username: "switchy_bot" });
  tg.skews(-seconds * 1_000);
  expect(await lines(account({ botToken: bot.token }))).toContainEqual(
    expect.stringMatching(new RegExp(`^warning: this machine's clock is 2[34]\\d\\d s ${word} Telegram's`)),
  );
});

test("OP-5: a wrong token says where to get the right one, and never shows it", async () => {
  const findings = await telegramDoctor(account({ botToken: "1:wrong" }), AbortSignal.timeout(5_000));
  expect(findings).toEqual([
    {
      level: "error",
      subject: "telegram/default",
      ...telegramDoctorTexts.tokenRefused,
    },
  ]);
});

test("CH-3: privacy mode contradicts requireMention false, also in a topic", async () => {
  const groups = { "-5": { topics: { "7": { requireMention: false } } }, "-6": {} };
  const hidden = tg.bot({ username: "hidden_bot" });
  expect(await lines(account({ botToken: hidden.token, groups }))).toContain(
    `warning: ${telegramDoctorTexts.privacyOn(["-5"]).message}`,
  );
  const open = tg.bot({ username: "open_bot", canReadAllGroupMessages: true });
  expect(await lines(account({ botToken: open.token, groups }))).toHaveLength(2);
});

test("CH-3: a webhook that is set while polling, and one that is missing in webhook mode", async () => {
  const bot = tg.bot({ username: "hook_bot" });
  const webhook = { url: "https://bots.example.org/telegram/webhook/default", secretToken: "abcdefgh1234" };
  expect(await lines(account({ botToken: bot.token, mode: "webhook", webhook }))).toContain(
    `warning: ${telegramDoctorTexts.webhookUnset.message}`,
  );
  await fetch(`${tg.apiRoot}/bot${bot.token}/setWebhook?url=http://127.0.0.1:9/hook`);
  expect((await lines(account({ botToken: bot.token })))[1]).toBe(
    `warning: ${telegramDoctorTexts.webhookWhilePolling("http://127.0.0.1:9/hook").message}`,
  );
  expect(await lines(account({ botToken: bot.token, mode: "webhook", webhook }))).toContainEqual(
    `warning: ${telegramDoctorTexts.webhookElsewhere("http://127.0.0.1:9/hook", webhook.url).message}`,
  );
});

test("OP-5: a server that does not answer is named without the token", async () => {
  const one = account({ botToken: "1:abcdefgh", apiRoot: "http://127.0.0.1:9" });
  expect((await lines(one))[0]).toMatch(/^error: http:\/\/127\.0\.0\.1:9 does not answer/);
  expect((await lines(one)).join()).not.toContain("abcdefgh");
});
