import { afterAll, beforeAll, expect, test } from "vitest";
import { startDiscordEmulator } from "../support/emulators/discord/emulator.ts";
import { startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

const [dc, sl] = await Promise.all([startDiscordEmulator(), startSlackEmulator()]);
const dcBot = dc.bot({ username: "switchyard", messageContent: true });
const app = sl.app({ name: "Switchyard" });
let bridge: TestBridge;

beforeAll(async () => {
  bridge = await startTestBridge({
    config: {
      channels: {
        telegram: { ackReaction: "👀" },
        discord: {
          token: dcBot.token,
          apiUrl: dc.apiUrl,
          dmPolicy: "open",
          allowFrom: ["*"],
          groupPolicy: "open",
          pacing: false,
          ackReaction: "👀",
        },
        slack: {
          botToken: app.botToken,
          appToken: app.appToken,
          apiUrl: sl.apiUrl,
          dmPolicy: "open",
          allowFrom: ["*"],
          groupPolicy: "open",
          pacing: false,
          ackReaction: "👀",
        },
      },
    },
  });
  await Promise.all([app.connected(), dc.connected(dcBot)]);
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await Promise.all([dc.stop(), sl.stop()]);
});

const SLOW = "slowly count to three";
const DONE = /3 — done\.$/;

test("CH-8: Telegram: a message wears the reaction while it is worked on, and loses it when the answer stands", async () => {
  const group = bridge.tg.group({ title: "Team", members: [bridge.ann, bridge.bot] });
  const talk = group.from(bridge.ann);
  const other = talk.says("nobody is meant");
  const asked = talk.says(SLOW, { mention: bridge.bot });
  expect(await group.botReacts(asked)).toBe("👀");
  await group.botSays({ matching: DONE });
  await expect.poll(() => [...group.stored(asked).reactions.values()].flat()).toEqual([]);
  expect(group.stored(other).reactions.size).toBe(0);
});

test("CH-8: Discord: in a thread too, and what is not addressed wears nothing", async () => {
  const ann = dc.user({ name: "Ann" });
  const guild = dc.guild({ name: "Works", members: [ann, dcBot] });
  const channel = guild.text("general");
  const other = channel.from(ann).says("nobody is meant");
  const asked = channel.from(ann).says(SLOW, { mention: dcBot });
  expect(await channel.botReacts(asked)).toBe("👀");
  await channel.botSays({ matching: DONE });
  await expect.poll(() => [...channel.stored(asked).reactions.values()].flatMap((users) => [...users])).toEqual([]);
  expect(channel.stored(other).reactions.size).toBe(0);
});

test("CH-8: Slack: an emoji is named there; when reactions are refused or slow the answer comes all the same", async () => {
  const ann = sl.user({ name: "ann" });
  const channel = sl.channel("general", { members: [ann, app] });
  const asked = channel.from(ann).says(SLOW, { mention: app });
  expect(await channel.botReacts(asked)).toBe("eyes");
  await channel.botSays({ thread: asked, matching: DONE });
  await expect.poll(() => channel.now(asked)?.reactions ?? []).toEqual([]);

  sl.fails({ kind: "refusal", error: "missing_scope" }, { method: "reactions.add", times: 1 });
  const refused = channel.from(ann).says("say exactly: one", { mention: app });
  await channel.botSays({ thread: refused, matching: "one" });
  sl.fails({ kind: "slow", ms: 8_000, carriedOutFirst: false }, { method: "reactions.add", times: 1 });
  const begun = performance.now();
  const slow = channel.from(ann).says("say exactly: two", { mention: app });
  await channel.botSays({ thread: slow, matching: "two" });
  expect(performance.now() - begun).toBeLessThan(7_000);
});
