import { afterAll, beforeAll, expect, test } from "vitest";
import { openWork } from "../crash/store-view.ts";
import { answer, gate, say, text, toolCall } from "../support/emulators/model/index.ts";
import type { Bot } from "../support/emulators/telegram/accounts.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
const bots: { second: Bot | null } = { second: null };
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(),
    config: ({ tg }) => {
      const second = tg.bot({ username: "second_bot", canReadAllGroupMessages: true });
      bots.second = second;
      return {
        agents: { entries: { other: { name: "Other", instructions: "You are the other one." } } },
        bindings: [{ agentId: "other", match: { channel: "telegram", accountId: "second" } }],
        channels: { telegram: { accounts: { second: { botToken: second.token } } } },
      };
    },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

function secondBot(): Bot {
  if (bots.second === null) throw new Error("no second bot");
  return bots.second;
}

test("FC-055: a group that becomes a supergroup keeps its memory, and a pending completion is told in the new one", async () => {
  const { tg, bot, ann } = bridge;
  const working = gate();
  bridge.script(
    modelRules(
      [
        /start one$/,
        ({ results }) =>
          results.length === 0
            ? answer(toolCall("sessions_spawn", { task: "work on ant", label: "ant" }))
            : say("Started."),
      ],
      [/work on ant$/, answer(working.step, text("Six legs."))],
      [/\[Completion of/, say("The sub-agent found six legs.")],
      [
        /do you know me\?$/,
        ({ request }) => say(`${request.messages.filter((one) => one.role === "user").length} inputs.`),
      ],
    ),
  );
  const group = tg.group({ title: "Ants", members: [ann, bot] });
  group.from(ann).says("start one", { mention: bot });
  await group.botSays({ matching: "Started." });
  const upgraded = tg.migrate(group);
  await tg.caughtUp(bot);
  working.open();
  await upgraded.botSays({ matching: "The sub-agent found six legs." });
  upgraded.from(ann).says("do you know me?", { mention: bot });
  await upgraded.botSays({ matching: "3 inputs." });
  await expect
    .poll(() => openWork(bridge.process.folder), { timeout: 10_000, interval: 20 })
    .toEqual({ inputs: 0, turns: 0, runs: 0, completions: 0, deliveries: 0 });
});

test("SK-9, TN-11: a group is upgraded while an answer grows in it, and the whole answer comes in the new one", async () => {
  const { tg, bot, ann } = bridge;
  const writing = gate();
  bridge.script(modelRules([/tell us slowly$/, answer(text("It begins "), writing.step, text("and it ends."))]));
  const group = tg.group({ title: "Slow", members: [ann, bot] });
  group.from(ann).says("tell us slowly", { mention: bot });
  await group.botSays({ matching: "It begins" });
  const upgraded = tg.migrate(group);
  await tg.caughtUp(bot);
  writing.open();
  await upgraded.botSays({ matching: "It begins and it ends." });
});

test("FC-090, FC-091: each of two bots answers as itself, with its own agent and memory, also about its sub-agents", async () => {
  const { bot, ann } = bridge;
  const other = secondBot();
  bridge.script(
    modelRules(
      [
        /start one$/,
        ({ results }) =>
          results.length === 0
            ? answer(toolCall("sessions_spawn", { task: "work on bee", label: "bee" }))
            : say("Started."),
      ],
      [/work on bee$/, say("Six legs too.")],
      [
        /\[Completion of/,
        ({ request }) => say(`Done by ${/agent "(\w+)"/.exec(String(request.messages[0]?.content))?.[1]}.`),
      ],
      [
        /who are you\?$/,
        ({ request }) =>
          say(
            `I am ${/agent "(\w+)"/.exec(String(request.messages[0]?.content))?.[1]}, ${request.messages.length - 1} messages.`,
          ),
      ],
    ),
  );
  const first = ann.dm(bot);
  const second = ann.dm(other);
  second.says("start one");
  await second.botSays({ matching: "Started.", by: other });
  await second.botSays({ matching: "Done by other.", by: other });
  first.says("who are you?");
  await first.botSays({ matching: "I am main, 1 messages.", by: bot });
  expect(first.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
});

test("FC-091: two bots in one group: who is mentioned answers, each keeps its own conversation", async () => {
  const { tg, bot, ann } = bridge;
  const other = secondBot();
  bridge.script(
    modelRules([
      /speak up$/,
      ({ request }) => say(`Spoken by ${/agent "(\w+)"/.exec(String(request.messages[0]?.content))?.[1]}.`),
    ]),
  );
  const group = tg.group({ title: "Both", members: [ann, bot, other] });
  group.from(ann).says("speak up", { mention: other });
  await group.botSays({ matching: "Spoken by other.", by: other });
  group.from(ann).says("speak up", { mention: bot });
  await group.botSays({ matching: "Spoken by main.", by: bot });
  await tg.caughtUp(bot);
  await tg.caughtUp(other);
  expect(group.messages().filter((message) => message.from?.is_bot)).toHaveLength(2);
});

test("DL-4, FC-139: an answer to a person who blocked the bot fails with the platform's words; the agent learns it in its next turn", async () => {
  const { tg, bot } = bridge;
  const fay = tg.user({ name: "Fay" });
  const thinking = gate();
  bridge.script(
    modelRules(
      [/tell me later$/, answer(thinking.step, text("Here it is."))],
      [
        /I am back$/,
        ({ inputs }) =>
          say(
            inputs.some((input) => /delivery_failed.*bot was blocked/.test(input))
              ? "I know you were away."
              : "Welcome.",
          ),
      ],
    ),
  );
  const dm = fay.dm(bot);
  const before = bridge.model.requests.length;
  dm.says("tell me later");
  await bridge.model.waitForRequest(before + 1);
  fay.blocks(bot);
  thinking.open();
  await bridge.process.logged((line) => line.msg === "delivery failed");
  expect((await bridge.cli("deliveries", "--failed")).out).toMatch(
    /failed.*telegram\/default \d+.*bot was blocked by the user/,
  );
  fay.unblocks(bot);
  dm.says("I am back");
  await dm.botSays({ matching: "I know you were away." });
});
