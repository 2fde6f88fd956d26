import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { discordPlatform } from "../support/platforms/discord.ts";
import { slackPlatform } from "../support/platforms/slack.ts";
import { telegramPlatform } from "../support/platforms/telegram.ts";
import { startTestBridge } from "../support/test-bridge.ts";

const PRELOAD = fileURLToPath(new URL("../support/shifted-clock.mjs", import.meta.url));
const MINUTE = 60_000;

describe.each([
  { minutes: 40, words: "40 min ahead of" },
  { minutes: -40, words: "40 min behind" },
])("FC-320: a machine whose clock is $words its platforms", ({ minutes, words }) => {
  const start = { nodeArgs: ["--import", PRELOAD], env: { SHIFT_CLOCK_MS: String(minutes * MINUTE) } };

  test("answers live messages and those of a restart on every platform, and status names the clock", async () => {
    const all = [await discordPlatform(), await slackPlatform(), await telegramPlatform()];
    await using bridge = await startTestBridge({
      telegram: false,
      start,
      config: {
        commands: { ownerAllowFrom: all.flatMap(({ owner }) => owner ?? []) },
        channels: Object.fromEntries(all.map(({ name, config }) => [name, config])),
      },
    });
    try {
      for (const platform of all) await platform.ready(bridge);
      for (const platform of all) {
        const direct = platform.direct();
        await direct.says("say exactly: live");
        await direct.hears("live");
      }
      const status = (await bridge.cli("status")).out;
      for (const { name } of all)
        expect(status).toContain(`This machine's clock is ${words} the clock of ${name}/default.`);
      await bridge.process.stop();
      for (const platform of all) await platform.direct().says("say exactly: while you were away");
      await bridge.restart(start);
      for (const platform of all) await platform.direct().hears("while you were away");
    } finally {
      for (const platform of all) await platform.stop();
    }
  });
});
