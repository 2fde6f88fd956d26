import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, gate, say, text } from "../support/emulators/model/index.ts";
import { startTestBridge } from "../support/test-bridge.ts";

test("IN-18, FC-410: a message that waits behind a running turn is not answered when its sender is taken off the list meanwhile", {
  timeout: 120_000,
}, async () => {
  const held = gate();
  let calls = 0;
  await using bridge = await startTestBridge({
    model: () => {
      calls += 1;
      return calls === 1 ? answer(held.step, text("First.")) : say("Never.");
    },
    config: ({ bob }) => ({
      messages: { queue: { mode: "followup" } },
      channels: { telegram: { dmPolicy: "allowlist", allowFrom: [String(bob.id)] } },
    }),
  });
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("one");
  await bridge.model.waitForRequest(1);
  dm.says("two");
  await expect
    .poll(() => bridge.process.logs.filter(({ msg }) => msg === "event accepted").length, { timeout: 30_000 })
    .toBe(2);
  const file = join(bridge.process.folder, "switchyard.json5");
  const config = JSON.parse(readFileSync(file, "utf8"));
  config.channels.telegram.allowFrom = ["1"];
  writeFileSync(file, JSON.stringify(config));
  await bridge.process.logged(({ msg }) => msg === "configuration reloaded", 60_000);
  held.open();
  await dm.botSays({ matching: "First." });
  const [, second] = bridge.process.logs.filter(({ msg }) => msg === "event accepted");
  await expect
    .poll(async () => (await bridge.cli("why", String(second?.event))).out, { timeout: 60_000, interval: 200 })
    .toMatch(/refused[\s\S]*does not list[\s\S]*this changed while the message waited/);
  expect(calls).toBe(1);
});
