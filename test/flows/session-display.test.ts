import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, gate, say, text, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ model: modelRules() });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("CM-10: with /verbose on people see the calls while they run and above the answer, and the setting outlives a restart", async () => {
  const second = gate();
  bridge.script(
    modelRules([
      /look it up$/,
      ({ results }) =>
        results.length === 0
          ? answer(toolCall("session_status", { sessionKey: "current" }))
          : answer(second.step, text("I found it.")),
    ]),
  );
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("/verbose on");
  await dm.botSays({ matching: "Tool calls are shown from the next reply on." });
  dm.says("look it up");
  const shown = await dm.botSays({ matching: /^session_status \{"sessionKey":"current"\}$/ });
  second.open();
  await dm.botEdits(shown, { matching: /^session_status \{"sessionKey":"current"\}\s+I found it\.$/ });
  await bridge.process.stop();
  await bridge.restart();
  dm.says("/verbose");
  await dm.botSays({ matching: "Tool calls are shown." });
  dm.says("/verbose off");
  await dm.botSays({ matching: "Tool calls are now hidden." });
  dm.says("look it up");
  await dm.botSays({ matching: "I found it." });
});

test("CM-10: a verbose turn that is silent leaves none of its calls behind", async () => {
  const second = gate();
  bridge.script(
    modelRules([
      /nothing to say$/,
      ({ results }) =>
        results.length === 0 ? answer(toolCall("session_status", {})) : answer(second.step, text("NO_REPLY")),
    ]),
  );
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("/verbose on");
  await dm.botSays({ matching: /shown/ });
  dm.says("nothing to say");
  const shown = await dm.botSays({ matching: /^session_status/ });
  second.open();
  await bridge.tg.until(() => (dm.messages().some((one) => one.message_id === shown.message_id) ? undefined : true), {
    what: "the preview to go",
  });
});

test("CM-10: /usage ends each answer with its tokens, or with model, tokens, cost, context and steps", async () => {
  bridge.script(
    modelRules(
      [/how much$/, { ...answer(text("Little.")), usage: { input: 1_200, output: 34, cached: 1_000 } }],
      [
        /twice$/,
        ({ results }) =>
          results.length === 0
            ? { ...answer(toolCall("session_status", {})), usage: { input: 100, output: 10, cached: 0 } }
            : { ...answer(text("Done.")), usage: { input: 200, output: 20, cached: 0 } },
      ],
      [/plain$/, say("Plain.")],
    ),
  );
  const { operator } = bridge.web;
  await operator.says("/usage tokens");
  await operator.hears("Replies show the tokens they used.");
  await operator.says("how much");
  await operator.hears(/^Little\.\s*1,200 tokens in, 34 out$/);
  await operator.says("/usage full");
  await operator.hears(/^Replies show model, tokens/);
  await operator.says("do it twice");
  const { text: full } = await operator.hears(/^Done\./);
  expect(full).toMatch(/300 tokens in, 30 out · context 220 of [\d,]+ \(0 %\) · 2 steps in [\d.]+ s$/);
  expect(full).not.toContain("cost");
  await operator.says("/usage off");
  await operator.hears(/^Usage details are off/);
  await operator.says("plain");
  await operator.hears("Plain.");
});
