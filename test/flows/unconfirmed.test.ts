import { afterAll, beforeAll, expect, test } from "vitest";
import { say } from "../support/emulators/model/index.ts";
import { modelRules } from "../support/model-rules.ts";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({
    model: modelRules(
      [/hello there$/, say("Hello, Ann.")],
      [
        /did it arrive\?$/,
        ({ inputs }) => say(inputs.some((one) => one.includes("delivery_unconfirmed")) ? "I do not know." : "Yes."),
      ],
    ),
    config: { delivery: { onUnconfirmed: "hold" } },
  });
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("DL-3: with hold, a send whose answer was cut is not repeated; operator and agent are told, and retry sends it", async () => {
  const { tg, bot, ann } = bridge;
  const dm = ann.dm(bot);
  const botTexts = () => dm.messages().flatMap((message) => (message.from?.is_bot ? [message.text] : []));
  tg.fails({ kind: "cutAfter" }, { method: "sendMessage", chat: dm.id });
  dm.says("hello there");
  await bridge.process.logged((line) => line.msg === "delivery unconfirmed");
  const listed = await bridge.cli("deliveries", "--failed");
  const [, id = ""] = /^\s*(\d+)\s+unconfirmed/m.exec(listed.out) ?? [];
  expect(listed.out).toMatch(/unconfirmed/);
  // The note for the agent's next turn starts none, so nothing is queued.
  expect((await bridge.cli("sessions")).out).toMatch(/:telegram:direct:\d+\s+idle/);
  dm.says("did it arrive?");
  await dm.botSays({ matching: "I do not know." });
  expect(botTexts()).toEqual(["Hello, Ann.", "I do not know."]);
  const retried = await bridge.cli("deliveries", "retry", id);
  expect(retried.exitCode, retried.err).toBe(0);
  await tg.until(() => (botTexts().length === 3 ? true : undefined), { what: "the message again" });
  expect(botTexts().at(-1)).toBe("Hello, Ann.");
});
