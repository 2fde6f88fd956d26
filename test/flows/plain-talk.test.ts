import { afterAll, beforeAll, test } from "vitest";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge[Symbol.asyncDispose]());

test("CH-4: the operator talks on the web page, and the second answer knows the first message", async () => {
  const { operator } = bridge.web;
  await operator.says("remember that the key is under the mat");
  await operator.hears(/the key is under the mat$/);
  await operator.says("what did I say?");
  await operator.hears(/"remember that the key is under the mat"/);
});

test("CH-3: Ann talks in a direct message on Telegram, and the second answer knows the first message", async () => {
  const dm = bridge.ann.dm(bridge.bot);
  dm.says("remember that the train leaves at nine");
  await dm.botSays({ matching: /the train leaves at nine$/ });
  dm.says("what did I say?");
  await dm.botSays({ matching: /"remember that the train leaves at nine"/ });
});
