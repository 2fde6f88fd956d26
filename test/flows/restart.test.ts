import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, gate, lastText, say, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ model: modelRules() });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("OP-9: SIGTERM in the middle of a turn stops it at its next step, and the next start goes on and answers once", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [
        /look it up$/,
        ({ results }) =>
          results.length === 0 ? answer(thinking.step, toolCall("session_status", {})) : say("I found it."),
      ],
      [/you were away$/, say("I was away.")],
    ),
  );
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("look it up");
  await bridge.model.waitForRequest(1);
  const stopped = bridge.process.stop();
  await bridge.process.logged((line) => line.msg.startsWith("stopping"));
  // It has stopped listening when it polls no more.
  await bridge.tg.until(() => (bridge.bot.isPolled ? undefined : true), { what: "the poll to end" });
  thinking.open();
  expect(await stopped).toBe(0);
  const bob = bridge.bob.dm(bridge.bot);
  bob.says("say that you were away");
  await bridge.restart();
  await dm.botSays({ matching: "I found it." });
  await bob.botSays({ matching: "I was away." });
  expect(dm.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
  expect(bridge.model.requests.filter((request) => lastText(request, "user").includes("look it up"))).toHaveLength(2);
});

test("OP-9: a program continues after its output is closed, and stops as asked", async () => {
  bridge.process.closeOutput();
  expect((await fetch(`${bridge.process.url}/healthz`)).status).toBe(200);
  expect(await bridge.process.stop()).toBe(0);
  await bridge.restart();
});

test("OP-5, FC-175: a second process on the same store is refused and names the first", async () => {
  const second = await bridge.cli("start");
  expect(second.exitCode).toBe(1);
  expect(second.err).toContain(String(bridge.process.pid));
});
