import { afterAll, beforeAll, expect, test } from "vitest";
import { failureSentence } from "../../src/agent/turn/failure.ts";
import { failureForOwner } from "../../src/core/texts/chat/failures.ts";
import { openWork } from "../crash/store-view.ts";
import {
  answer,
  type ChatRequest,
  call,
  faults,
  gate,
  messageText,
  rawToolCall,
  say,
  text,
  toolCall,
} from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(),
    config: { agents: { defaults: { fallbacks: ["emulated/spare"] } } },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

const soon = faults.rateLimited({ retryAfterMs: 5 });

test("TN-6: a model that is over its limit is asked again, then its fallback answers", async () => {
  bridge.script(
    modelRules([/hello there$/, ({ request }) => (request.model === "small" ? soon : say(`I am ${request.model}.`))]),
  );
  const before = bridge.model.requests.length;
  const channel = await bridge.web.channel("Fallback");
  await channel.says("hello there");
  await channel.hears("I am spare.");
  const models = bridge.model.requests.slice(before).map((request) => request.model);
  expect(models).toEqual(["small", "small", "small", "small", "small", "spare"]);
});

test("TN-6, FC-334: when no model answers, an owner reads one plain sentence, the cause and the fix in a direct chat", async () => {
  bridge.script(modelRules([/hello there$/, soon]));
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("hello there");
  const notice = await dm.botSays();
  expect(notice.text?.split("\n")).toEqual([
    failureSentence("model_limit"),
    "",
    expect.stringMatching(/^Cause: emulated\/spare: the provider's rate limit is reached \(HTTP 429/),
    expect.stringMatching(/^Raise the limit/),
  ]);
  expect((await bridge.cli("status")).out).toMatch(/model/);
});

test("FC-334: on the page the operator reads the cause and the fix, and no key or address", async () => {
  bridge.script(modelRules([/no key$/, faults.unauthorized(401)]));
  const channel = await bridge.web.channel("No key");
  await channel.says("no key");
  const { text } = await channel.hears(/Cause:/);
  expect(text).toMatch(/^I can.t use my model.*Cause: emulated\/\w+: .*HTTP 401.*switchyard doctor/s);
  expect(text).not.toMatch(/https?:|127\.0\.0\.1|sk-/);
});

test("TN-7: an unknown tool and bad arguments come back as results that say what is wrong", async () => {
  bridge.script(
    modelRules([
      /try them$/,
      ({ results }) =>
        results.length === 0
          ? answer(
              toolCall("open_the_door", {}),
              toolCall("sessions_spawn", { task: 7 }),
              rawToolCall("session_status", "{not json"),
            )
          : say(results.map((result) => (JSON.parse(result) as { error: string }).error).join(" | ")),
    ]),
  );
  const channel = await bridge.web.channel("Wrong calls");
  await channel.says("try them");
  const told = await channel.hears(/open_the_door/);
  expect(told.text).toMatch(/no tool "open_the_door".*\|.*task.*\|.+/);
});

test("TN-7: the same call with the same result five times in a row ends the turn", async () => {
  bridge.script(modelRules([/round and round$/, call("sessions_yield", {})]));
  const before = bridge.model.requests.length;
  const channel = await bridge.web.channel("Circles");
  await channel.says("round and round");
  await channel.hears(failureForOwner("same_call", ""));
  expect(bridge.model.requests.length - before).toBe(5);
});

test("CP-5, FC-005: when the requester's turn fails, people read a bounded notice of the result, in the topic that asked", async () => {
  const { tg, bot, ann } = bridge;
  const long = "word ".repeat(2_000);
  bridge.script(
    modelRules(
      [
        /start one$/,
        ({ results }) =>
          results.length === 0
            ? answer(toolCall("sessions_spawn", { task: "work on ant", label: "ant" }))
            : say("Started."),
      ],
      [/work on ant$/, say(`Found: ${long}`)],
      [/\[Completion of/, soon],
    ),
  );
  const forum = tg.forum({ title: "Work", members: [ann, bot], admins: [bot] });
  const topic = forum.topic("Ants");
  topic.from(ann).says("start one", { mention: bot });
  await topic.botSays({ matching: "Started." });
  const notice = await topic.botSays({ matching: /A sub-agent's result arrived, but I could not work on it/ });
  expect(notice.text).toMatch(/"ant".*: ok/);
  expect(notice.text).toContain("Found: word word");
  expect(notice.text?.length).toBeLessThan(1_800);
  expect(notice.text).not.toContain("Stats:");
});

test("CP-5, CP-3: a result that was steered into a turn that then fails is shown too, beside the sentence for the person", async () => {
  const ant = gate();
  const busy = gate();
  bridge.script(
    modelRules(
      [
        /start one$/,
        ({ results }) =>
          results.length === 0
            ? answer(toolCall("sessions_spawn", { task: "work on ant", label: "ant" }))
            : say("Started."),
      ],
      [/work on ant$/, answer(ant.step, text("Found: honey."))],
      [/be busy$/, answer(busy.step, toolCall("session_status", {}))],
      [/\[Completion of/, soon],
    ),
  );
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("start one");
  await dm.botSays({ matching: "Started." });
  const before = bridge.model.requests.length;
  dm.says("be busy");
  await bridge.model.waitForRequest(before + 1);
  ant.open();
  await expect.poll(() => openWork(bridge.process.folder).runs, { timeout: 10_000, interval: 20 }).toBe(0);
  busy.open();
  await dm.botSays({ matching: /A sub-agent's result arrived, but I could not work on it.*Found: honey/s });
  await dm.botSays({ matching: /My model is over its limit|I can.t reach my model/ });
});

test("TN-2: every request the model got was one that a provider takes", () => {
  const faulty = bridge.model.requests.filter((request: ChatRequest) => request.fault !== null);
  expect(faulty.map((request) => [request.fault, request.messages.map(messageText)])).toEqual([]);
});
