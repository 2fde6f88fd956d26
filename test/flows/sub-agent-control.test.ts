import { afterAll, beforeAll, expect, test } from "vitest";
import { openWork } from "../crash/store-view.ts";
import { answer, call, gate, say, text, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ model: modelRules() });
});
afterAll(() => bridge[Symbol.asyncDispose]());

const spawnOf = (label: string) => toolCall("sessions_spawn", { task: `work on ${label}`, label });

/** The labels of the completions the model is told at once. */
function completed(inputs: readonly string[]): string {
  return inputs.flatMap((input) => /^\[Completion of sub-agent "(\w+)"/m.exec(input)?.[1] ?? []).join(" and ");
}

async function runsEnd(): Promise<void> {
  await expect.poll(() => openWork(bridge.process.folder).runs, { timeout: 10_000, interval: 20 }).toBe(0);
}

test("CP-7, CP-3, FC-007, FC-182: two results that come while the requester is busy are handed over together", async () => {
  const children = gate();
  const busy = gate();
  bridge.script(
    modelRules(
      [
        /start both$/,
        ({ results }) => (results.length === 0 ? answer(spawnOf("ant"), spawnOf("bee")) : say("Started.")),
      ],
      [/be busy$/, answer(text("Busy "), busy.step, text("is over."))],
      [/work on (ant|bee)$/, ({ input }) => answer(children.step, text(`Result: ${input.slice(-3)}.`))],
      [/\[Completion of/, ({ inputs }) => say(`Both came: ${completed(inputs)}.`)],
    ),
  );
  const channel = await bridge.web.channel("Together");
  await channel.says("start both");
  await channel.hears("Started.");
  await channel.says("be busy");
  await bridge.model.waitForRequest(5);
  children.open();
  await runsEnd();
  busy.open();
  await channel.hears("Busy is over.");
  await channel.hears("Both came: ant and bee.");
  expect(await channel.answers()).toHaveLength(3);
});

test("CP-8, FC-012, FC-097: a yield gives its text to the people and goes on, once, when the last child has ended", async () => {
  const ant = gate();
  const bee = gate();
  bridge.script(
    modelRules(
      [
        /and wait$/,
        answer(text("I wait."), spawnOf("ant"), spawnOf("bee"), toolCall("sessions_yield", { message: "add them up" })),
      ],
      [/work on ant$/, answer(ant.step, text("One."))],
      [/work on bee$/, answer(bee.step, text("Two."))],
      [
        /\[Completion of/,
        ({ inputs }) => say(`${inputs.some((one) => one.includes("add them up"))}: ${completed(inputs)}.`),
      ],
    ),
  );
  const dm = bridge.ann.dm(bridge.bot);
  const before = bridge.model.requests.length;
  dm.says("do both and wait");
  await dm.botSays({ matching: "I wait." });
  ant.open();
  await expect.poll(() => openWork(bridge.process.folder).runs, { timeout: 10_000, interval: 20 }).toBe(1);
  bee.open();
  await dm.botSays({ matching: "true: ant and bee." });
  // The requester's two turns and one of each child.
  expect(bridge.model.requests.length - before).toBe(4);
});

test("FC-098, CP-8: a yield whose child runs out of time is woken with that, and goes on living", async () => {
  const never = gate();
  bridge.script(
    modelRules(
      [
        /and wait$/,
        answer(
          toolCall("sessions_spawn", { task: "work on ant", label: "ant", runTimeoutSeconds: 1 }),
          toolCall("sessions_yield", {}),
        ),
      ],
      [/work on ant$/, answer(text("So far "), never.step)],
      [/\[Completion of/, ({ input }) => say(`Ended: ${/: (\w+)\]/.exec(input)?.[1]}.`)],
      [/still there\?$/, say("Still here.")],
    ),
  );
  const channel = await bridge.web.channel("Timeout");
  await channel.says("do it and wait");
  await channel.hears("Ended: timeout.");
  await channel.says("still there?");
  await channel.hears("Still here.");
});

test("FC-008, FC-011: a requester that takes its time over a result says it once, and nothing is said in its stead", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [/start one$/, ({ results }) => (results.length === 0 ? answer(spawnOf("ant")) : say("Started."))],
      [/work on ant$/, say("Six legs.")],
      [/\[Completion of/, answer(thinking.step, text("It has six legs."))],
    ),
  );
  const channel = await bridge.web.channel("Slow");
  await channel.says("start one");
  await channel.hears("Started.");
  await runsEnd();
  await bridge.process.stop();
  await bridge.restart();
  thinking.open();
  await channel.hears("It has six legs.");
  await expect.poll(() => openWork(bridge.process.folder).completions, { timeout: 10_000, interval: 20 }).toBe(0);
  expect(await channel.answers()).toEqual(["Started.", "It has six legs."]);
});

test("CP-8: a person's message wakes a yield; it gets what is there, and the rest comes later", async () => {
  const ant = gate();
  const bee = gate();
  bridge.script(
    modelRules(
      [/and wait$/, answer(text("I wait."), spawnOf("ant"), spawnOf("bee"), toolCall("sessions_yield", {}))],
      [/work on ant$/, answer(ant.step, text("One."))],
      [/work on bee$/, answer(bee.step, text("Two."))],
      [/what is there\?$/, ({ inputs }) => say(`So far: ${completed(inputs)}.`)],
      [/\[Completion of/, ({ inputs }) => say(`At last: ${completed(inputs)}.`)],
    ),
  );
  const channel = await bridge.web.channel("Impatient");
  await channel.says("do both and wait");
  await channel.hears("I wait.");
  ant.open();
  await expect.poll(() => openWork(bridge.process.folder).runs, { timeout: 10_000, interval: 20 }).toBe(1);
  await channel.says("what is there?");
  await channel.hears("So far: ant.");
  bee.open();
  await channel.hears("At last: bee.");
});

test("CP-1, FC-151, FC-154: the result is the sub-agent's last text, complete; its interim words and its tools' output are not in it", async () => {
  bridge.script(
    modelRules(
      [/start one$/, ({ results }) => (results.length === 0 ? answer(spawnOf("ant")) : say("Started."))],
      [
        /work on ant$/,
        ({ results }) =>
          results.length === 0
            ? answer(text("Looking into it."), toolCall("session_status", {}))
            : say(`Report: ${"word ".repeat(2_000)}end.`),
      ],
      [
        /\[Completion of/,
        ({ input }) =>
          say(
            `Interim ${input.includes("Looking")}, tool ${input.includes("stateVersion")}, whole ${/word end\./.test(input)}.`,
          ),
      ],
    ),
  );
  const channel = await bridge.web.channel("Report");
  await channel.says("start one");
  await channel.hears("Interim false, tool false, whole true.");
});

test("CP-8: a yield with nothing to wait for is an error the model reads", async () => {
  bridge.script(
    modelRules([
      /yield now$/,
      ({ results }) => (results[0] === undefined ? call("sessions_yield", {}) : say(results[0])),
    ]),
  );
  const channel = await bridge.web.channel("Nothing");
  await channel.says("yield now");
  await channel.hears(/there is no unfinished sub-agent to wait for/);
});

test("TP-4: at depth 1 a sub-agent has no tool to spawn with; it reads that, and its requester is told", async () => {
  bridge.script(
    modelRules(
      [/nest$/, ({ results }) => (results.length === 0 ? answer(spawnOf("ant")) : say("Started."))],
      [/work on ant$/, ({ results }) => (results[0] === undefined ? answer(spawnOf("grandchild")) : say(results[0]))],
      [/\[Completion of/, ({ input }) => say(`It says: ${input.split("\n")[1]}`)],
    ),
  );
  const channel = await bridge.web.channel("Nested");
  await channel.says("nest");
  await channel.hears(/It says: .*the tool sessions_spawn is turned off for you here/);
});

test("SB-2: a person kills a sub-agent; its completion says killed, killing it again says so", async () => {
  const never = gate();
  bridge.script(
    modelRules(
      [/start one$/, ({ results }) => (results.length === 0 ? answer(spawnOf("ant")) : say("Started."))],
      [/work on ant$/, answer(text("I am "), never.step)],
      [/\[Completion of/, ({ input }) => say(`Ended: ${/: (\w+)\]/.exec(input)?.[1]}.`)],
    ),
  );
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("start one");
  await dm.botSays({ matching: "Started." });
  dm.says("/subagents list");
  await dm.botSays({ matching: /ant: (queued|running)/ });
  dm.says("/subagents kill last");
  await dm.botSays({ matching: "ant was stopped by you." });
  await dm.botSays({ matching: "Ended: killed." });
  dm.says("/kill ant");
  await dm.botSays({ matching: /ant had already ended: killed/ });
});

test("SB-2: guidance reaches a running sub-agent at its next boundary", async () => {
  const first = gate();
  bridge.script(
    modelRules(
      [/start one$/, ({ results }) => (results.length === 0 ? answer(spawnOf("ant")) : say("Started."))],
      [/work on ant$/, answer(first.step, toolCall("session_status", {}))],
      [/guidance from/, ({ input }) => say(`Guided: ${input.slice(input.lastIndexOf("]") + 2)}.`)],
      [/\[Completion of/, ({ input }) => say(`It says: ${input.split("\n")[1]}`)],
    ),
  );
  const channel = await bridge.web.channel("Guided");
  await channel.says("start one");
  await channel.hears("Started.");
  await channel.says("/steer ant count the legs");
  await channel.hears(/receives this at its next step/);
  first.open();
  await channel.hears("It says: Guided: count the legs.");
});
