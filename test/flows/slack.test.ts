import { afterAll, beforeAll, expect, test } from "vitest";
import { movingWork } from "../crash/store-view.ts";
import type { App, Person } from "../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let sl: SlackEmulator;
let app: App;
let ann: Person;
let bridge: TestBridge;

beforeAll(async () => {
  sl = await startSlackEmulator();
  app = sl.app({ name: "Switchyard", assistant: true });
  ann = sl.user({ name: "ann" });
  bridge = await startTestBridge({
    telegram: false,
    config: {
      commands: { ownerAllowFrom: [`slack:${ann.id}`] },
      channels: {
        slack: {
          botToken: app.botToken,
          appToken: app.appToken,
          apiUrl: sl.apiUrl,
          dmPolicy: "open",
          allowFrom: ["*"],
          groupPolicy: "open",
          pacing: false,
        },
      },
    },
  });
  await app.connected();
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await sl?.stop();
});

async function settled(): Promise<void> {
  await expect
    .poll(() => movingWork(bridge.process.folder), { timeout: 10_000, interval: 20 })
    .toEqual({ inputs: 0, turns: 0, runs: 0, completions: 0, deliveries: 0 });
}

test("SK-8, FC-049: a DM is answered where it was written, each message in the same session", async () => {
  const dm = ann.dm(app);
  dm.says("say exactly: hello *Ann* & <friends>");
  await dm.botSays({ matching: /^hello _Ann_ &amp; &lt;friends&gt;$/ });
  dm.says("!status");
  const status = await dm.botSays({ matching: new RegExp(`agent:main:slack:direct:${ann.id}`) });
  expect(status.thread_ts).toBeUndefined();
});

test("FC-048, FC-068: a mention in a channel is answered once, in its thread, and a follow-up there needs no mention", async () => {
  const channel = sl.channel("general", { members: [ann, app] });
  const root = channel.from(ann).says("say exactly: first", { mention: app });
  const thread = channel.thread(root);
  await thread.botSays({ matching: "first" });
  await settled();
  thread.from(ann).says("say exactly: second");
  await thread.botSays({ matching: "second" });
  thread.from(ann).says("!status");
  await thread.botSays({ matching: new RegExp(`agent:main:slack:channel:${channel.id}:thread:${root.ts}`) });
  channel.from(ann).says("nobody is meant");
  await sl.caughtUp(app);
  await settled();
  expect(channel.texts()).toEqual([`${app.mention} say exactly: first`, "nobody is meant"]);
  expect(thread.texts().filter((text) => text === "first")).toHaveLength(1);
  const sessions = await bridge.cli("sessions", "--json");
  const keys = [...sessions.out.matchAll(new RegExp(`slack:channel:${channel.id}[^"]*`, "g"))].map(([key]) => key);
  expect(new Set(keys.filter((key) => key.includes(":thread:")))).toEqual(
    new Set([`slack:channel:${channel.id}:thread:${root.ts}`]),
  );
});

test("SK-8: several people's direct chat is a group: who mentions the bot is answered in a thread, a sub-agent reports there", async () => {
  const ben = sl.user({ name: "ben" });
  const chat = sl.mpim([ann, ben, app]);
  chat.from(ben).says("nobody is meant");
  const root = chat.from(ben).says("say exactly: hello you two", { mention: app });
  const thread = chat.thread(root);
  await thread.botSays({ matching: "hello you two" });
  thread.from(ann).says("!status");
  await thread.botSays({ matching: new RegExp(`agent:main:slack:group:${chat.id}:thread:${root.ts}`) });
  thread.from(ann).says("spawn a sub-agent to count to three and report");
  await thread.botSays({ matching: /is done and reports: 1, 2, 3/ });
  await settled();
  expect(chat.texts()).toHaveLength(2);
});

test("SK-8, CH-2: an assistant thread is a session of its own, shows a status and gets a sub-agent's result", async () => {
  const [first, second] = [ann.assistant(app), ann.assistant(app)];
  first.says("remember that the door is green");
  await first.botSays({ matching: /the door is green$/ });
  second.says("what did I say?");
  await second.botSays({ matching: "You have said nothing before in this session." });
  first.says("!status");
  await first.botSays({ matching: new RegExp(`agent:main:slack:direct:${ann.id}:thread:${first.threadTs}`) });
  first.says("spawn a sub-agent to count to three and report");
  await first.botSays({ matching: /is done and reports: 1, 2, 3/ });
  first.says("slowly count to four");
  await first.botTypes();
  await first.botSays({ matching: "1, 2, 3, 4 — done." });
  await settled();
});

test("CP-4: a sub-agent that was spawned in a thread reports there", async () => {
  const channel = sl.channel("work", { members: [ann, app] });
  const root = channel.from(ann).says("spawn a sub-agent to count to three", { mention: app });
  const thread = channel.thread(root);
  await thread.botSays({ matching: /1, 2, 3/ });
  await settled();
  expect(channel.texts()).toHaveLength(1);
});

test("TB-1, TB-3, FC-161: a sub-agent gets a thread of its own in the channel, and people write to it there without a mention", async () => {
  const channel = sl.channel("kitchen", { members: [ann, app] });
  channel.from(ann).says("spawn a sub-agent in a thread to count to three", { mention: app });
  const opening = await channel.botSays({ matching: /^\*count to three\* \(agent main\)\. Reply in this thread/ });
  const thread = channel.thread(opening);
  await thread.botSays({ matching: "1, 2, 3 — done." });
  thread.from(ann).says("say exactly: nobody had to mention me");
  await thread.botSays({ matching: "nobody had to mention me" });
  await settled();
});

test("CM-2, CM-3, FC-062: /switchyard status is answered where it was typed, and a wrong name only to who typed it", async () => {
  const channel = sl.channel("ops", { members: [ann, app] });
  const call = ann.slash("/switchyard status", channel);
  expect(await call.outcome).toEqual({ kind: "acknowledged", response: {} });
  await channel.botSays({ matching: new RegExp(`agent:main:slack:channel:${channel.id}`) });
  const wrong = ann.slash("/switchyard nonsense", channel);
  expect((await wrong.ephemeral()).text).toBe('There is no command "nonsense". Type "help" for a list.');
  await settled();
});

test("CH-5, FC-073: Slack goes away and comes back; what was said meanwhile is answered once", async () => {
  const channel = sl.channel("away", { members: [ann, app] });
  const root = channel.from(ann).says("say exactly: before", { mention: app });
  const thread = channel.thread(root);
  await thread.botSays({ matching: "before" });
  await settled();
  await sl.stop();
  thread.from(ann).says("say exactly: meanwhile");
  app.misses();
  await sl.start();
  await thread.botSays({ matching: "meanwhile", within: 20_000 });
  await settled();
  expect(thread.texts().filter((text) => text === "meanwhile")).toHaveLength(1);
});

test("DL-4, FC-071: an answer goes out while no socket can be had and the web API answers", async () => {
  const dm = ann.dm(app);
  await settled();
  const away = sl.fails({ kind: "5xx" }, { method: "apps.connections.open", appId: app.id, times: 1_000 });
  for (const socket of app.sockets) socket.cuts();
  const state = async () => await (await fetch(`${bridge.process.url}/healthz`)).text();
  await expect.poll(state, { timeout: 10_000 }).toContain("reconnecting");
  await bridge.cli("send", `agent:main:slack:direct:${ann.id}`, "say exactly: heard all the same");
  await dm.botSays({ matching: "heard all the same", within: 15_000 });
  expect(await state()).toContain("reconnecting");
  away.off();
  await expect.poll(state, { timeout: 15_000 }).not.toContain("reconnecting");
  expect(dm.messages().filter(({ text }) => text === "heard all the same")).toHaveLength(1);
}, 50_000);
