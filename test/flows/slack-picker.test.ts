import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWork } from "../crash/store-view.ts";
import type { App, Person } from "../support/emulators/slack/accounts.ts";
import { type SlackEmulator, startSlackEmulator } from "../support/emulators/slack/emulator.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let sl: SlackEmulator;
let apps: Record<"socket" | "http", App>;
let ann: Person;
let ben: Person;
let bridge: TestBridge;

beforeAll(async () => {
  sl = await startSlackEmulator();
  apps = { socket: sl.app({ name: "Switchyard" }), http: sl.app({ name: "Posted" }) };
  ann = sl.user({ name: "ann" });
  ben = sl.user({ name: "ben" });
  const { socket, http } = apps;
  bridge = await startTestBridge({
    telegram: false,
    config: {
      commands: { ownerAllowFrom: [`slack:${ann.id}`] },
      channels: {
        slack: {
          apiUrl: sl.apiUrl,
          dmPolicy: "open",
          allowFrom: ["*"],
          groupPolicy: "open",
          pacing: false,
          accounts: {
            socket: { botToken: socket.botToken, appToken: socket.appToken },
            http: { botToken: http.botToken, mode: "http", signingSecret: http.signingSecret },
          },
        },
      },
    },
  });
  await Promise.all([socket.connected(), http.setRequestUrl(new URL("/slack/events/http", bridge.process.url).href)]);
});
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await sl?.stop();
});

async function settled(): Promise<void> {
  await expect
    .poll(() => openWork(bridge.process.folder), { timeout: 10_000, interval: 20 })
    .toEqual({ inputs: 0, turns: 0, runs: 0, completions: 0, deliveries: 0 });
}

describe.each(["socket", "http"] as const)("the picker of /switchyard, mode %s", (mode) => {
  test("CM-2, CM-12: a person picks a live thread, then a command, and it runs as if typed there", async () => {
    const app = apps[mode];
    const channel = sl.channel(`ops-${mode}`, { members: [ann, ben, app] });
    const root = channel.from(ben).says("say exactly: about the boiler", { mention: app });
    const thread = channel.thread(root);
    await thread.botSays({ matching: "about the boiler" });
    await settled();

    const call = ann.slash("/switchyard", channel, app);
    const picker = await call.ephemeral({ matching: /^What do you want to do in this channel\?/ });
    expect(await ann.searches(picker, "where", "nothing like it", channel)).toEqual([]);
    const threads = await ann.searches(picker, "where", "boil", channel);
    expect(threads).toEqual([
      { text: { type: "plain_text", text: expect.stringContaining("boiler") }, value: root.ts },
    ]);
    const inThread = ann.presses(picker, root.ts, channel);
    expect((await inThread.outcome).kind).toBe("acknowledged");
    await inThread.ephemeral({ matching: /in <[^|]+\|this thread>/ });
    ann.presses(picker, "status", channel);
    await thread.botSays({ matching: new RegExp(`slack:${mode}:channel:${channel.id}:thread:${root.ts}`) });
    // The picker closes beside the command, so the answer may be there first.
    await expect.poll(() => channel.ephemerals().at(-1)?.text).toMatch(/^`\/status` in </);
    await settled();
    expect(channel.texts()).toHaveLength(1);
  });

  test("CM-2, CM-5, IN-15: a chosen command runs with the chooser's rights, and only permitted ones are suggested", async () => {
    const app = apps[mode];
    const channel = sl.channel(`rights-${mode}`, { members: [ann, ben, app] });
    const pick = async (person: Person, command: string) => {
      const picker = await person.slash("/switchyard", channel, app).ephemeral({ matching: /^What do you want to do/ });
      return { picker, step: person.presses(picker, command, channel) };
    };
    const denied = await pick(ben, "restart");
    expect((await denied.step.ephemeral({ matching: /Only owners/ })).text).toContain("Only owners can use /restart");

    const unseen = await pick(ben, "sessions");
    await unseen.step.ephemeral({ matching: /^`\/sessions` in this channel/ });
    expect(await ben.searches(unseen.picker, "with", "", channel)).toEqual([]);

    const listed = await pick(ann, "sessions");
    await listed.step.ephemeral({ matching: /^`\/sessions` in this channel/ });
    const sessions = await ann.searches(listed.picker, "with", "boiler", channel);
    expect(sessions.length).toBeLessThanOrEqual(25);

    const models = await pick(ann, "model");
    await models.step.ephemeral({ matching: /^`\/model` in this channel/ });
    expect((await ann.searches(models.picker, "with", "demo", channel)).map(({ value }) => value)).toEqual([
      "demo/switchyard",
    ]);
    ann.presses(models.picker, "demo/switchyard", channel);
    await expect
      .poll(() => [...channel.texts(), ...channel.ephemerals().map(({ text }) => text)].join("\n"))
      .toMatch(/now uses|demo\/switchyard/);
    await settled();
  });
});
