import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, gate, say, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ model: modelRules(), config: { commands: { config: true } } });
});
afterAll(() => bridge[Symbol.asyncDispose]());

const configFile = (): string => readFileSync(join(bridge.process.folder, "switchyard.json5"), "utf8");

test("CM-16: /restart lets a turn go on after it, answers in the conversation then, and keeps process and address", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [
        /look it up$/,
        ({ results }) =>
          results.length === 0 ? answer(thinking.step, toolCall("session_status", {})) : say("I found it."),
      ],
      [/hello$/, say("Hello.")],
    ),
  );
  const { url, pid } = bridge.process;
  const bob = bridge.bob.dm(bridge.bot);
  bob.says("/restart");
  await bob.botSays({ matching: "Only owners can use /restart." });
  bob.says("look it up");
  await bridge.model.waitForRequest(1);
  const ann = bridge.ann.dm(bridge.bot);
  ann.says("/restart");
  await bridge.process.logged((line) => line.msg.startsWith("restarting by command"));
  thinking.open();
  await ann.botSays({ matching: /^Restarted: Switchyard .* The process is the same/ });
  await bob.botSays({ matching: "I found it." });
  expect(ann.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(bridge.process.pid).toBe(pid);
  const starts = () => bridge.process.logs.filter((line) => line.msg.startsWith("Switchyard is ready")).length;
  await expect.poll(starts, { timeout: 15_000 }).toBe(2);
  ann.says("hello");
  await ann.botSays({ matching: "Hello." });
});

test("CM-15: /config shows without secrets, writes what is valid, applies it, and says what needs a restart", async () => {
  const ann = bridge.ann.dm(bridge.bot);
  ann.says("/config get channels.telegram");
  const shown = await ann.botSays({ matching: /botToken/ });
  expect(shown.text).toContain('botToken: "[secret]"');
  expect(shown.text).not.toContain(bridge.bot.token);
  ann.says(`/config set commands.adminAllowFrom ["telegram:${bridge.bob.id}"]`);
  await ann.botSays({ matching: "commands.adminAllowFrom is saved and applied." });
  const bob = bridge.bob.dm(bridge.bot);
  bob.says("/pin");
  await bob.botSays({ matching: "This session is pinned." });
  ann.says("/config set logging.level info");
  await ann.botSays({
    matching: "logging.level is saved. Changes in logging need a restart: use /restart.",
  });
  ann.says("/config add commands.adminAllowFrom telegram:4711");
  // What waits for a restart since the change before is not said again.
  await ann.botSays({ matching: "commands.adminAllowFrom is saved and applied." });
  ann.says("/config add commands.adminAllowFrom telegram:4711");
  await ann.botSays({ matching: /^Nothing was changed\.\s+.*This value is already in the list./ });
  expect(configFile()).toContain("telegram:4711");
  bob.says("/pin off");
  await bob.botSays({ matching: /no longer pinned/ });
  ann.says("/config unset logging.level");
  // The file says what is the default anyway; the running log still has the level it began with.
  await ann.botSays({ matching: /^logging.level is removed\. Changes in logging need a restart/ });
  ann.says("/config get logging.level");
  await ann.botSays({ matching: "logging.level is not set; its default applies." });
});

test("CM-15: what is invalid, or a secret, changes nothing", async () => {
  const ann = bridge.ann.dm(bridge.bot);
  const before = configFile();
  ann.says("/config set agents.defaults.maxSteps many");
  await ann.botSays({ matching: /^Nothing was changed\.\s+.*agents\.defaults\.maxSteps: must be/ });
  ann.says("/config set comands.config true");
  await ann.botSays({ matching: /comands: unknown key\. Did you mean "commands"\?/ });
  ann.says("/config set http.token verysecrettoken");
  await ann.botSays({ matching: /Do not send secrets in a chat/ });
  ann.says("/config set agents.defaults.maxSteps");
  await ann.botSays({ matching: "Usage: /config set <path> <value>" });
  expect(configFile()).toBe(before);
  expect(readdirSync(bridge.process.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(statSync(join(bridge.process.folder, "switchyard.json5")).isFile()).toBe(true);
});

test("CM-15, FC-339: changing is off by default while reading works, and where others read along it shows nothing", async () => {
  const { tg, bot, ann } = bridge;
  const group = tg.group({ title: "Team", members: [ann, bot], supergroup: true });
  group.from(ann).says("/config");
  await group.botSays({ matching: "Other people can read this. Use a direct message." });
  ann.dm(bot).says("/config set commands.config false");
  await ann.dm(bot).botSays({ matching: /^commands.config is saved/ });
  ann.dm(bot).says("/config get commands.config");
  await ann.dm(bot).botSays({ matching: "false" });
  ann.dm(bot).says("/config set logging.level info");
  await ann.dm(bot).botSays({ matching: /^Changing the configuration by command is disabled/ });
});
