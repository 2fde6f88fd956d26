import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { arriveAt, chatScene, conversation, heard, say } from "./chat-scene.ts";

const scene = chatScene();

async function seesThatItIsGone(page: Page): Promise<void> {
  await page.getByText("Reconnecting").waitFor();
}

/** One more question answered: whatever was still on its way before it has arrived. */
async function askOnce(page: Page): Promise<void> {
  await say(page, "say exactly that was all");
  await heard(page, /^(?:.*\n)*\s*that was all\s*$/).waitFor();
}

test("TN-2: kill -9 in the middle of an answer; the page comes back by itself and the answer appears there once", async () => {
  const page = await scene.openChannel("Killed answer");
  await say(page, "slowly count to 8");
  await page.locator("#log .streaming", { hasText: "1, 2, 3" }).waitFor();
  await scene.kill();
  await seesThatItIsGone(page);
  await scene.startAgain();
  await heard(page, "8 — done.").waitFor();
  await page.locator("#connection:empty").waitFor({ state: "attached" });
  await askOnce(page);
  expect(await conversation(page)).toEqual([
    "You: slowly count to 8",
    "Switchyard: 1, 2, 3, 4, 5, 6, 7, 8 — done.",
    "You: say exactly that was all",
    "Switchyard: that was all",
  ]);
});

test("SB-5, FC-013, FC-335: kill -9 while a sub-agent works; it is shown again, works on and its result comes back once", async () => {
  const page = await scene.openChannel("Killed sub-agent");
  await say(page, "spawn a sub-agent to slowly count to 7 and report");
  await page.locator("#live li", { hasText: "slowly count to 7" }).waitFor();
  await scene.kill();
  await scene.startAgain();
  const stays = page.url();
  await page.goto("about:blank");
  await arriveAt(page, () => page.goto(stays));
  await page.locator("#live li", { hasText: "slowly count to 7" }).waitFor();
  await heard(page, "7 — done.").waitFor();
  await askOnce(page);
  const lines = await conversation(page);
  expect(lines.filter((line) => line.includes("I started the sub-agent"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("is done and reports"))).toHaveLength(1);
  expect(lines).toHaveLength(5);
});

test("IN-3: messages written while the server is down wait, also over a closed page, and are sent once", async () => {
  const page = await scene.openChannel("Away");
  const path = new URL(page.url()).pathname;
  await scene.kill();
  await seesThatItIsGone(page);
  await say(page, "count to 3");
  await page.locator("#pending").getByText("Switchyard cannot be reached.").waitFor();
  await page.locator("#text").fill("a draft");
  await page.goto("about:blank");
  await scene.startAgain();
  await arriveAt(page, () => page.goto(scene.program().url + path));
  await heard(page, "1, 2, 3 — done.").waitFor();
  expect(await page.locator("#text").inputValue()).toBe("a draft");
  await askOnce(page);
  expect((await conversation(page)).slice(0, 2)).toEqual(["You: count to 3", "Switchyard: 1, 2, 3 — done."]);
  expect(await conversation(page)).toHaveLength(4);
  expect(await page.locator("#pending li").count()).toBe(0);
});
