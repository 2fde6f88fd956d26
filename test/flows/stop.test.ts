import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, gate, say, text, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

/** A stop must have taken effect by then (TN-8: one second for calls, and the machine may be busy). */
const ABORT_MS = 2_000;

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(),
    config: { tools: { sessions: { visibility: "agent" } } },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("TN-8: /stop in the middle of a stream ends the model call, takes the preview back, and the next message is answered", async () => {
  const never = gate();
  bridge.script(
    modelRules(
      [/tell me a story$/, answer(text("Once upon a time "), never.step)],
      [/and now\?$/, say("Now I listen.")],
    ),
  );
  const dm = bridge.ann.dm(bridge.bot);
  const before = bridge.model.requests.length;
  dm.says("tell me a story");
  const preview = await dm.botSays({ matching: /Once upon a time/ });
  const request = await bridge.model.waitForRequest(before + 1);
  const stoppedAt = performance.now();
  dm.says("/stop");
  await dm.botSays({ matching: "Stopped." });
  expect(await request.ended).toEqual({ byClient: true });
  expect(performance.now() - stoppedAt).toBeLessThan(ABORT_MS);
  await dm.botDeletes(preview);
  dm.says("and now?");
  await dm.botSays({ matching: "Now I listen." });
});

test("TN-8: a plain stop ends a tool call that waits; the open call is answered as aborted", async () => {
  const never = gate();
  bridge.script(
    modelRules(
      [/^\[Inter-session message/, answer(text("I think "), never.step)],
      [/ask main$/, answer(toolCall("sessions_send", { sessionKey: "main", message: "are you there?" }))],
      [
        /what happened\?$/,
        ({ request }) =>
          say(`Results: ${request.messages.filter((one) => one.role === "tool").map((one) => one.content)}`),
      ],
    ),
  );
  const dm = bridge.bob.dm(bridge.bot);
  const before = bridge.model.requests.length;
  dm.says("ask main");
  await bridge.model.waitForRequest(before + 2);
  const stoppedAt = performance.now();
  dm.says("stop");
  await dm.botSays({ matching: /^Stopped/ });
  expect(performance.now() - stoppedAt).toBeLessThan(ABORT_MS);
  dm.says("what happened?");
  await dm.botSays({ matching: /"aborted"/ });
});

test("TN-8, FC-104: /stop counts truly: the turn, its sub-agents, the messages that wait; no completion wakes a session", async () => {
  const never = gate();
  const started = gate();
  bridge.script(
    modelRules(
      [
        /two sub-agents$/,
        ({ results }) =>
          results.length === 0
            ? answer(
                toolCall("sessions_spawn", { task: "work on ant", label: "ant" }),
                toolCall("sessions_spawn", { task: "work on bee", label: "bee" }),
              )
            : answer(text("Both are "), started.step, never.step),
      ],
      [/work on (ant|bee)$/, answer(text("I am at it "), never.step)],
      [/and now\?$/, ({ inputs }) => say(`Inputs: ${inputs.length}.`)],
    ),
  );
  const channel = await bridge.web.channel("Stopped");
  const before = bridge.model.requests.length;
  await channel.says("two sub-agents");
  await bridge.model.waitForRequest(before + 4);
  await channel.says("one more thing");
  await channel.says("/stop");
  await channel.hears("Stopped, together with 2 sub-agents. One waiting message was discarded.");
  await channel.says("/subagents list");
  await channel.hears(/ant: killed[\s\S]*bee: killed|bee: killed[\s\S]*ant: killed/);
  await channel.says("and now?");
  await channel.hears("Inputs: 1.");
  started.open();
});

test("TN-8: /stop with nothing running says so", async () => {
  const channel = await bridge.web.channel("Idle");
  await channel.says("/stop");
  await channel.hears("Nothing was running.");
});
