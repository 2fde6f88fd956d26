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

test("TB-5: /focus outside of a thread makes one", async () => {
  const channel = await bridge.web.channel("Library");
  await channel.says("spawn a sub-agent called reader to count to two");
  await channel.hears(/1, 2 — done/);
  await channel.says("/focus reader");
  await channel.hears("A new thread for reader is being created.");
  const thread = await threadNamed(channel, "reader");
  await thread.hears(/^reader \(agent main\)/);
  await thread.says("say exactly: here I am");
  await thread.hears("here I am");
});

test("TB-4: a restart keeps the binding", async () => {
  const channel = await bridge.web.channel("Cellar");
  await channel.says("spawn a sub-agent in a thread to count to five");
  const thread = await threadNamed(channel, "count to five");
  await thread.hears("1, 2, 3, 4, 5 — done.");
  await bridge.process.stop();
  await bridge.restart();
  await thread.says("what did I say?");
  await thread.hears(/spawn a sub-agent in a thread to count to five/);
});

test("FC-338: /name shows on the page, and a deleted channel that is made again remembers nothing", async () => {
  const channel = await bridge.web.channel("Workshop");
  await channel.says("remember that the glue is on the shelf");
  await channel.hears(/the glue is on the shelf$/);
  await channel.says("/name Roadmap");
  await channel.hears(/Roadmap/);
  const page = async (path: string) => (await fetch(bridge.process.url + path)).text();
  expect(await page(channel.path)).toContain('<h1 id="place-title">Roadmap</h1>');
  await fetch(`${bridge.process.url}${channel.path}/delete`, { method: "POST" });
  expect((await fetch(bridge.process.url + channel.path)).status).toBe(404);
  const again = await bridge.web.channel("Workshop");
  expect(again.path).toBe(channel.path);
  await again.says("what did I say?");
  await again.hears("You have said nothing before in this session.");
});
