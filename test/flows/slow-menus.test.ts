import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bot as DiscordBot, Person } from "../support/emulators/discord/accounts.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import type { Bot as TelegramBot } from "../support/emulators/telegram/accounts.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

type Trouble = "hanging" | "failing";

const hangs = { kind: "slow", ms: 120_000, carriedOutFirst: false } as const;
const fails = { kind: "5xx", status: 500 } as const;
let dc: DiscordEmulator;
let discord: Record<Trouble, DiscordBot>;
let telegram: Record<Trouble, TelegramBot>;
let ann: Person;
let bridge: TestBridge;

/** Before the program starts, two accounts of each platform cannot put up their menu: one waits for ever, one is refused. */
beforeAll(async () => {
  dc = await startDiscordEmulator();
  ann = dc.user({ name: "Ann" });
  discord = {
    hanging: dc.bot({ username: "waits", messageContent: true }),
    failing: dc.bot({ username: "fails", messageContent: true }),
  };
  dc.guild({ name: "Work", members: [ann, discord.hanging, discord.failing] });
  dc.fails(hangs, { method: "bulk_set_application_commands", botId: discord.hanging.id });
  dc.fails(fails, { method: "bulk_set_application_commands", botId: discord.failing.id });
  const open = { dmPolicy: "open", allowFrom: ["*"], pacing: false };
  bridge = await startTestBridge({
    config: ({ tg, bot }) => {
      telegram = { hanging: bot, failing: tg.bot({ username: "failing_bot" }) };
      tg.fails(hangs, { method: "setMyCommands", botId: bot.id });
      tg.fails(fails, { method: "setMyCommands", botId: telegram.failing.id });
      return {
        channels: {
          discord: {
            ...open,
            apiUrl: dc.apiUrl,
            accounts: { hanging: { token: discord.hanging.token }, failing: { token: discord.failing.token } },
          },
          telegram: {
            ...open,
            botToken: undefined,
            accounts: { hanging: { botToken: bot.token }, failing: { botToken: telegram.failing.token } },
          },
        },
      };
    },
  });
  await Promise.all(Object.values(discord).map((bot) => dc.connected(bot)));
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await dc?.stop();
});

const menuOf = {
  discord: (trouble: Trouble) => discord[trouble].commands(),
  telegram: (trouble: Trouble) => telegram[trouble].commands(),
};

test("CM-2, FC-056: a menu that hangs or is refused delays no message and no command", async () => {
  for (const trouble of ["hanging", "failing"] as const) {
    const dm = ann.dm(discord[trouble]);
    dm.says(`say exactly: through ${trouble}`);
    await dm.botSays({ matching: `through ${trouble}`, within: 10_000 });
    const chat = bridge.ann.dm(telegram[trouble]);
    chat.says("/status");
    await chat.botSays({ matching: /agent:main:telegram/, within: 10_000 });
  }
  expect(dc.calls("bulk_set_application_commands").length).toBeGreaterThan(0);
  expect(bridge.tg.calls("setMyCommands").length).toBeGreaterThan(0);
  for (const platform of ["discord", "telegram"] as const) expect(menuOf[platform]("hanging") ?? []).toEqual([]);
});

test("CM-2, CH-6: a refused menu is put up later, in the background", async () => {
  for (const platform of ["discord", "telegram"] as const) {
    await expect
      .poll(() => menuOf[platform]("failing")?.length ?? 0, { timeout: 10_000, interval: 50 })
      .toBeGreaterThan(10);
  }
});
