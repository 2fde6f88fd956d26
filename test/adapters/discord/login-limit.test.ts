import { expect, it } from "vitest";
import { create } from "../../../adapters/discord/index.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { account } from "./host.ts";

it("CH-1: with few logins of the day left an account does not log in to start, and says when it will", async () => {
  await using dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchyard", messageContent: true });
  bot.record.logins = { left: 3, resetsAt: Date.now() + 3_600_000 };
  const adapter = create(account({ own: { token: bot.token, apiUrl: dc.apiUrl } }));
  const host = new TestHost();
  await expect(adapter.start(host)).rejects.toMatchObject({
    code: "discord_logins_used_up",
    decision: "retry",
    retryAfterMs: 8_000,
    message: expect.stringContaining("only 3 of the bot's 1000 daily logins are left"),
  });
  expect([bot.identifies, bot.record.logins.left]).toEqual([0, 3]);
  bot.record.logins.resetsAt = Date.now();
  await adapter.start(host);
  await host.untilState("ready");
  expect(bot.identifies).toBe(1);
  await adapter.stop();
});
