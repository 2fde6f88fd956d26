import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, gate, messageText, say, text, toolCall } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(),
    config: ({ ann, bob }) => ({
      messages: { queue: { byChannel: { web: "followup" } } },
      tools: {
        toolsBySender: {
          [`telegram:${ann.id}`]: { allow: ["*"] },
          [`telegram:${bob.id}`]: { deny: ["sessions_spawn"] },
        },
      },
    }),
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("TN-3: a message while the model thinks is shown before its tool calls start; each skipped call has a result", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [/look twice$/, answer(thinking.step, toolCall("session_status", {}), toolCall("session_status", {}))],
      [
        /no, wait$/,
        ({ request }) => {
          const results = request.messages.filter((message) => message.role === "tool").map(messageText);
          return say(`Skipped: ${results.filter((result) => result.includes('"skipped"')).length}.`);
        },
      ],
    ),
  );
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("look twice");
  await bridge.model.waitForRequest(1);
  dm.says("no, wait");
  await bridge.tg.caughtUp(bridge.bot);
  thinking.open();
  await dm.botSays({ matching: "Skipped: 2." });
  expect(dm.messages().filter((message) => message.from?.is_bot)).toHaveLength(1);
});

test("FC-209: a comment and the forward that was sent with it get one answer, also when the comment comes first", async () => {
  const thinking = gate();
  bridge.script(
    modelRules([/the plan$/, say("I see the plan.")], [/look at this$/, answer(thinking.step, text("I see nothing."))]),
  );
  const dm = bridge.ann.dm(bridge.bot);
  const before = dm.messages().length;
  dm.says("look at this");
  const origin = {
    type: "user",
    date: 1_790_000_000,
    sender_user: { id: 77, is_bot: false, first_name: "Zed" },
  } as const;
  dm.says("the plan", { extra: { forward_origin: origin } });
  await dm.botSays({ matching: "I see the plan." });
  thinking.open();
  const answers = dm
    .messages()
    .slice(before)
    .filter((message) => message.from?.is_bot);
  expect(answers.map((message) => message.text)).toEqual(["I see the plan."]);
});

test("TN-3, FC-131: in followup mode each message that came meanwhile gets an answer of its own, in order", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [/number one$/, answer(thinking.step, text("First."))],
      [/number two$/, ({ inputs }) => say(`Second of ${inputs.length}.`)],
      [/number three$/, ({ inputs }) => say(`Third of ${inputs.length}.`)],
    ),
  );
  const channel = await bridge.web.channel("Queue");
  const before = bridge.model.requests.length;
  await channel.says("number one");
  await bridge.model.waitForRequest(before + 1);
  await channel.says("number two");
  await channel.says("number three");
  expect(bridge.model.requests.length - before).toBe(1);
  thinking.open();
  await channel.hears("Third of 1.");
  expect(await channel.answers()).toEqual(["First.", "Second of 1.", "Third of 1."]);
});

test("TN-3, FC-121: in collect mode what came meanwhile becomes one turn once it is quiet", async () => {
  const thinking = gate();
  bridge.script(
    modelRules(
      [/number one$/, answer(thinking.step, text("First."))],
      [/number three$/, ({ input }) => say(`${input.match(/number (?:two|three)/g)?.length} together.`)],
    ),
  );
  const channel = await bridge.web.channel("Collect");
  await channel.says("/queue collect");
  await channel.hears(/^New messages: collected/);
  const before = bridge.model.requests.length;
  await channel.says("number one");
  await bridge.model.waitForRequest(before + 1);
  await channel.says("number two");
  await channel.says("number three");
  thinking.open();
  await channel.hears("2 together.");
  expect((await channel.answers()).slice(1)).toEqual(["First.", "2 together."]);
});

test("TN-3: in interrupt mode the running turn is ended and the newest message starts", async () => {
  const never = gate();
  bridge.script(
    modelRules(
      [/the long way$/, answer(text("On my way"), never.step, text(", still going."))],
      [
        /the short way$/,
        ({ request }) => {
          const closed = request.messages.some((message) => messageText(message).includes("[Interrupted by the next"));
          return say(closed ? "Shortly." : "Not told.");
        },
      ],
    ),
  );
  const channel = await bridge.web.channel("Interrupt");
  await channel.says("/queue interrupt");
  await channel.hears(/^New messages: stop the running reply/);
  const before = bridge.model.requests.length;
  await channel.says("the long way");
  await bridge.model.waitForRequest(before + 1);
  await channel.says("the short way");
  await channel.hears("Shortly.");
  expect((await channel.answers()).slice(1)).toEqual(["Shortly."]);
  never.open();
});

test("TN-4: two people in one group each get a turn with their own tools", async () => {
  const { tg, bot, ann, bob } = bridge;
  const thinking = gate();
  const spawns = (tools: readonly { readonly function: { readonly name: string } }[]): boolean =>
    tools.some((tool) => tool.function.name === "sessions_spawn");
  bridge.script(
    modelRules(
      [/wait a little$/, answer(thinking.step, text("I waited."))],
      [
        /(Ann|Bob) asks$/,
        ({ input, inputs, request }) =>
          say(`${input.slice(-8, -5)}: ${inputs.length} input, spawn ${spawns(request.tools)}.`),
      ],
    ),
  );
  const group = tg.group({ title: "Team", members: [ann, bob, bot] });
  const before = bridge.model.requests.length;
  group.from(ann).says("wait a little", { mention: bot });
  await bridge.model.waitForRequest(before + 1);
  group.from(bob).says("Bob asks", { mention: bot });
  group.from(ann).says("Ann asks", { mention: bot });
  await tg.caughtUp(bot);
  thinking.open();
  await group.botSays({ matching: "I waited." });
  await group.botSays({ matching: "Bob: 1 input, spawn false." });
  await group.botSays({ matching: "Ann: 1 input, spawn true." });
});

test("IN-11: a message that is edited before a turn has taken it is read in its new form only", async () => {
  const { tg, bot } = bridge;
  const dan = tg.user({ name: "Dan" });
  const thinking = gate();
  bridge.script(
    modelRules(
      [/wait a little$/, answer(thinking.step, text("I waited."))],
      [/five eggs$/, ({ inputs }) => say(`Five eggs, ${inputs.length} input.`)],
    ),
  );
  const dm = dan.dm(bot);
  const before = bridge.model.requests.length;
  dm.says("wait a little");
  await bridge.model.waitForRequest(before + 1);
  const order = dm.says("buy four eggs");
  await tg.caughtUp(bot);
  dm.edits(order, "buy five eggs");
  await tg.caughtUp(bot);
  thinking.open();
  await dm.botSays({ matching: "I waited." });
  await dm.botSays({ matching: "Five eggs, 1 input." });
});

test("TN-9: NO_REPLY stays silent, also when it comes in fragments; a real No is said", async () => {
  const pause = { type: "delay", ms: 450 } as const;
  bridge.script(
    modelRules(
      [/be silent$/, answer(text("NO"), pause, text("_RE"), pause, text("PLY"))],
      [/at once$/, say("no_reply")],
      [/yes or no\?$/, answer(text("N"), pause, text("o"))],
    ),
  );
  const channel = await bridge.web.channel("Silent");
  await channel.says("be silent");
  await channel.says("be silent at once");
  await channel.says("yes or no?");
  const no = await channel.hears("No");
  expect(await channel.answers()).toEqual(["No"]);
  const shown = await channel.until((messages) => messages, "the page");
  for (const { id } of shown) if (id !== no.id) expect(channel.versions(id)).not.toContain("NO");
  const dm = bridge.bob.dm(bridge.bot);
  dm.says("be silent");
  await bridge.tg.caughtUp(bridge.bot);
  dm.says("yes or no?");
  await dm.botSays({ matching: "No" });
  const all = [...dm.chat.messages.values()].filter((stored) => stored.message.from?.is_bot);
  expect(all.map((stored) => stored.message.text)).toEqual(["No"]);
});
