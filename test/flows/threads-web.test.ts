import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import type { WebConversation } from "../support/web-person.ts";

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ telegram: false });
});
afterAll(() => bridge[Symbol.asyncDispose]());

/** The thread that was made for a sub-agent, as the list of places shows it. */
async function threadNamed(from: WebConversation, title: string): Promise<WebConversation> {
  const link = new RegExp(`href="(${from.path}/t/d-[0-9a-f]+)"(?:(?!</a)[^])*?${title}`);
  const deadline = Date.now() + 15_000;
  for (;;) {
    const page = await (await fetch(bridge.process.url + from.path)).text();
    const path = link.exec(page)?.[1];
    if (path !== undefined) return bridge.web.at(path);
    if (Date.now() > deadline) throw new Error(`no thread ${title} in ${from.path}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("TB-1, TB-2, TB-3: a helper gets a thread, answers there and nowhere else, and goes on talking there", async () => {
  const channel = await bridge.web.channel("Kitchen");
  await channel.says("spawn a helper in a thread to count to three");
  await channel.hears(/thread/i);
  const thread = await threadNamed(channel, "count to three");
  await thread.hears(/^count to three \(agent main\)\. Write here/);
  await thread.hears("1, 2, 3 — done.");
  await thread.says("say exactly: still here");
  await thread.hears("still here");
  // What was said before the spawn is known in the thread (SP-5).
  await thread.says("what did I say?");
  await thread.hears(/spawn a helper in a thread/);
  expect((await channel.answers()).filter((text) => /done|still here/.test(text))).toEqual([]);
});

test("TB-3: what a person writes in the thread while the helper works is read by the helper", async () => {
  const channel = await bridge.web.channel("Workshop");
  await channel.says("spawn a helper in a thread to slowly count to twenty");
  const thread = await threadNamed(channel, "slowly count to twenty");
  await thread.hears(/Write here/);
  await thread.says("say exactly: I am listening");
  await thread.hears("I am listening", { within: 20_000 });
});

test("TB-5: /agents shows the bound thread, /unfocus releases it, /focus binds it again", async () => {
  const channel = await bridge.web.channel("Garden");
  await channel.says("spawn a helper in a thread to count to two");
  const thread = await threadNamed(channel, "count to two");
  await thread.hears("1, 2 — done.");
  await channel.says("/agents");
  await channel.hears(/Bound threads[\s\S]*count to two: released in 24 h/);
  await thread.says("/unfocus");
  await thread.hears(/This thread is released; agent:main:subagent:\S+ goes on without it\./);
  await thread.says("what did I say?");
  await thread.hears("You have said nothing before in this session.");
  await thread.says("/focus last");
  await thread.hears(/“count to two” has this thread now: .*24 h without a message/);
  await thread.says("what did I say?");
  await thread.hears(/spawn a helper in a thread to count to two/);
  await thread.says("/unfocus");
  await thread.hears(/goes on without it/);
  await thread.says("/unfocus");
  await thread.hears("Nothing is bound here.");
});

test("TB-5: /focus outside of a thread makes one", async () => {
  const channel = await bridge.web.channel("Library");
  await channel.says("spawn a helper called reader to count to two");
  await channel.hears(/1, 2 — done/);
  await channel.says("/focus reader");
  await channel.hears("“reader” gets a thread of its own.");
  const thread = await threadNamed(channel, "reader");
  await thread.hears(/^reader \(agent main\)/);
  await thread.says("say exactly: here I am");
  await thread.hears("here I am");
});

test("TB-4, TB-6: an idle thread is released with a farewell, and messages there go where they would without it", async () => {
  const channel = await bridge.web.channel("Attic");
  await channel.says("spawn a helper in a thread to count to four");
  const thread = await threadNamed(channel, "count to four");
  await thread.hears("1, 2, 3, 4 — done.");
  await thread.says("/session idle 1s");
  await thread.hears("Idle: 1 s. Max age: off.");
  await thread.hears("This thread is released, because nothing was written here for a while.");
  await thread.says("what did I say?");
  await thread.hears("You have said nothing before in this session.");
});

test("TB-4: a restart keeps the binding", async () => {
  const channel = await bridge.web.channel("Cellar");
  await channel.says("spawn a helper in a thread to count to five");
  const thread = await threadNamed(channel, "count to five");
  await thread.hears("1, 2, 3, 4, 5 — done.");
  await bridge.process.stop();
  await bridge.restart();
  await thread.says("what did I say?");
  await thread.hears(/spawn a helper in a thread to count to five/);
});
