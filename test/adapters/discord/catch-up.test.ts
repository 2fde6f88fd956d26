import { REST } from "discord.js";
import { expect, it } from "vitest";
import { createDirectory } from "../../../adapters/discord/gateway/directory.ts";
import { catchUp } from "../../../adapters/discord/missed/catch-up.ts";
import { openSeen } from "../../../adapters/discord/missed/seen.ts";
import { TestHost } from "../../support/adapter-host.ts";
import { clientOf, logIn } from "../../support/discord-client.ts";
import { startDiscordEmulator } from "../../support/emulators/discord/emulator.ts";

it("FC-079: what is remembered from before a gap is no proof that nothing was missed; what the greeting tells is", async () => {
  await using dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const channel = dc.guild({ name: "Work", members: [ann, bot] }).text("general");
  const client = await logIn(clientOf(dc), bot);
  const host = new TestHost();
  const seen = await openSeen(host, bot.id);
  await seen.note(channel.id, channel.from(ann).says("seen").id, true);
  const missed = channel.from(ann).says("missed");
  const rest = new REST({ api: dc.apiUrl, version: "10" }).setToken(bot.token);
  const taken: string[] = [];
  const once = (newest: string | null) =>
    catchUp(channel.id, {
      rest,
      seen,
      directory: createDirectory(client, rest),
      from: () => seen.upTo(channel.id),
      newestIn: () => newest,
      log: host.log,
      signal: AbortSignal.timeout(5_000),
      take: async (message) => {
        taken.push(message.content);
        await seen.note(message.channel_id, message.id, false);
      },
    });
  await once(null);
  expect(taken).toEqual(["missed"]);
  await once(missed.id);
  expect(taken).toEqual(["missed"]);
  expect(dc.calls("list_messages")).toHaveLength(1);
  channel.deletes();
  await once(null);
  expect(seen.conversations()).toEqual([]);
  await client.destroy();
});

it("IN-14: reads what was missed in a thread that the bot opened, even before a person has written in it", async () => {
  await using dc = await startDiscordEmulator();
  const bot = dc.bot({ username: "switchy", messageContent: true });
  const ann = dc.user({ name: "Ann" });
  const channel = dc.guild({ name: "Work", members: [ann, bot] }).text("general");
  const client = await logIn(clientOf(dc), bot);
  const host = new TestHost();
  const start = channel.from(ann).says("where it hangs").id;
  await (await openSeen(host, bot.id)).follow(channel.id, start);
  channel.from(ann).says("first words");
  const seen = await openSeen(host, bot.id);
  const rest = new REST({ api: dc.apiUrl, version: "10" }).setToken(bot.token);
  const taken: string[] = [];
  for (const channelId of seen.conversations()) {
    await catchUp(channelId, {
      rest,
      seen,
      directory: createDirectory(client, rest),
      from: () => seen.upTo(channelId),
      newestIn: () => null,
      log: host.log,
      signal: AbortSignal.timeout(5_000),
      take: async (message) => void taken.push(message.content),
    });
  }
  expect(taken).toEqual(["first words"]);
  await client.destroy();
});
