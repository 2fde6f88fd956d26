import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, call, gate, say, text } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ model: modelRules(), config: { tools: { sessions: { visibility: "agent" } } } });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("ST-21: one session asks another and says its reply; the other's people see nothing of it", async () => {
  const library = await bridge.web.channel("Library");
  const desk = await bridge.web.channel("Desk");
  bridge.script(
    modelRules(
      [/^\[Inter-session message from=agent:main:web:channel:desk .*\] is the atlas there\?$/, say("Shelf four.")],
      [
        /where is the atlas\?$/,
        ({ results }) =>
          results[0] === undefined
            ? call("sessions_send", { sessionKey: "agent:main:web:channel:library", message: "is the atlas there?" })
            : say(`They say: ${(JSON.parse(results[0]) as { reply: string }).reply}`),
      ],
      [/good morning$/, say("Good morning.")],
    ),
  );
  await library.says("good morning");
  await library.hears("Good morning.");
  await desk.says("where is the atlas?");
  await desk.hears("They say: Shelf four.");
  expect(await library.answers()).toEqual(["Good morning."]);
});

test("ST-21: a reply that comes too late reaches the sender once, as a message of its own", async () => {
  const archive = await bridge.web.channel("Archive");
  const office = await bridge.web.channel("Office");
  const searching = gate();
  bridge.script(
    modelRules(
      [
        /^\[Inter-session message from=agent:main:web:channel:office .*find the deed/,
        answer(searching.step, text("Box nine.")),
      ],
      [/^\[Inter-session message from=agent:main:web:channel:archive .*\] Box nine\.$/, say("It is in box nine.")],
      [
        /where is the deed\?$/,
        ({ results }) =>
          results[0] === undefined
            ? call("sessions_send", {
                sessionKey: "agent:main:web:channel:archive",
                message: "find the deed",
                timeoutSeconds: 0.3,
              })
            : say(`Status: ${(JSON.parse(results[0]) as { status: string }).status}`),
      ],
      [/good morning$/, say("Good morning.")],
    ),
  );
  await archive.says("good morning");
  await archive.hears("Good morning.");
  await office.says("where is the deed?");
  await office.hears("Status: timeout");
  searching.open();
  await office.hears("It is in box nine.");
  expect(await archive.answers()).toEqual(["Good morning."]);
});

test("ST-22: a thread takes no messages from other sessions; the refusal names the parent key", async () => {
  const channel = await bridge.web.channel("Plans");
  const thread = await channel.thread("Roof");
  const threadId = thread.path.split("/t/")[1] ?? "";
  bridge.script(
    modelRules(
      [/good morning$/, say("Good morning.")],
      [
        /tell the thread$/,
        ({ results }) =>
          results[0] === undefined
            ? call("sessions_send", { sessionKey: `agent:main:web:channel:plans:thread:${threadId}`, message: "hello" })
            : say(results[0]),
      ],
    ),
  );
  await channel.says("good morning");
  await channel.hears("Good morning.");
  await thread.says("good morning");
  await thread.hears("Good morning.");
  const desk = await bridge.web.channel("Another desk");
  await desk.says("tell the thread");
  await desk.hears(/"forbidden".*use the parent session key agent:main:web:channel:plans/);
});

test("ST-24, ST-25: two sessions answer each other unseen, then the one that was asked tells its own people", async () => {
  const kitchen = await bridge.web.channel("Kitchen");
  const garden = await bridge.web.channel("Garden");
  bridge.script(
    modelRules(
      [/\] \[Reply-back 1\/5, run [^\]]+You have read their reply\..*\]$/, say("How many?")],
      [
        /^\[Inter-session message from=agent:main:web:channel:kitchen .*\[Reply-back 2\/5.*\] How many\?$/,
        say("Three."),
      ],
      [
        /^\[Inter-session message from=agent:main:web:channel:garden .*\[Reply-back 3\/5.*\] Three\.$/,
        say("REPLY_SKIP"),
      ],
      [
        /^\[Inter-session message from=agent:main:web:channel:kitchen .*\[Announce, run /,
        say("The kitchen takes three tomatoes."),
      ],
      [/^\[Inter-session message .*\] any tomatoes\?$/, say("Some are ripe.")],
      [
        /what is ripe\?$/,
        ({ results }) =>
          results[0] === undefined
            ? call("sessions_send", { sessionKey: "agent:main:web:channel:garden", message: "any tomatoes?" })
            : say(`They say: ${(JSON.parse(results[0]) as { reply: string }).reply}`),
      ],
      [/good morning$/, say("Good morning.")],
    ),
  );
  await garden.says("good morning");
  await garden.hears("Good morning.");
  await kitchen.says("what is ripe?");
  await kitchen.hears("They say: Some are ripe.");
  await garden.hears("The kitchen takes three tomatoes.");
  expect(await garden.answers()).toEqual(["Good morning.", "The kitchen takes three tomatoes."]);
  expect(await kitchen.answers()).toEqual(["They say: Some are ripe."]);
});
