import { afterEach, beforeEach, expect, it } from "vitest";
import { TestHost } from "../../support/adapter-host.ts";
import { type DiscordEmulator, startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";
import { running } from "./host.ts";

let dc: DiscordEmulator;
beforeEach(async () => {
  dc = await startDiscordEmulator();
});
afterEach(() => dc.stop());

it.for([
  ["is refused", () => void dc.fails({ kind: "5xx" }, { method: "gateway_connect", times: 1 })],
  ["is cut before it is resumed", () => void dc.fails({ kind: "cutBefore" }, { method: "gateway_resume", times: 1 })],
  [
    "ends in the middle of what was missed",
    (bot: { partialReplays: number }) => {
      bot.partialReplays = 1;
    },
  ],
] as const)(
  "IN-14: first direct messages are heard although the first connection that asks for them %s",
  async ([, breaks]) => {
    const stored = new Map<string, string>();
    const bot = dc.bot({ username: "switchy", messageContent: true });
    const people = ["Ann", "Ben", "Cleo"].map((name) => dc.user({ name }));
    dc.guild({ name: "Work", members: [people[0] ?? dc.user({ name: "Dan" }), bot] });
    const before = new TestHost("default", stored);
    {
      await using _it = await running(dc, bot, before);
      await before.until(() => stored.has("gateway-session"), "the session to be kept");
    }
    for (const person of people) person.dm(bot).says(`hello from ${person.user.username}`);
    breaks(bot.record);
    const host = new TestHost("default", stored);
    await using _two = await running(dc, bot, host);
    await host.until(() => host.texts().length === 3, "what was missed");
    expect(host.texts().toSorted()).toEqual(["hello from ann", "hello from ben", "hello from cleo"]);
  },
);
