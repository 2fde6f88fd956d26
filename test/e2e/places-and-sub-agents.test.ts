import { expect, test } from "vitest";
import { arriveAt, chatScene, conversation, heard, say } from "./chat-scene.ts";

const scene = chatScene();

test("OP-4: 'spawn a sub-agent to count to three and report' starts a sub-agent, and its result comes back", async () => {
  const page = await scene.open();
  await page.getByRole("button", { name: "Spawn a sub-agent to count to three and report" }).click();
  await heard(page, 'I started the sub-agent "count to three"').waitFor();
  await heard(page, /The sub-agent "count to three" is done.*1, 2, 3 — done\./).waitFor();
  await say(page, "/subagents list");
  await page.locator("#log .agent:last-child li", { hasText: /count to three.*ok/ }).waitFor();
  const lines = await conversation(page);
  expect(lines.filter((line) => line.includes("is done"))).toHaveLength(1);
});

test("SB-2: running sub-agents are shown with what they do, and vanish when their result is there", async () => {
  const page = await scene.openChannel("Sub-agents");
  await say(page, "spawn two sub-agents to slowly count to 6 and report");
  const running = page.locator("#live li");
  await running.filter({ hasText: "slowly count to 6 1" }).waitFor();
  await running.filter({ hasText: "slowly count to 6 2" }).waitFor();
  const results = page.locator("#log", { hasText: /6 1" is done.*6 2" is done|6 2" is done.*6 1" is done/s });
  await results.waitFor();
  await running.first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  expect((await conversation(page)).join("\n").match(/is done and reports: 1, 2, 3, 4, 5, 6 — done\./g)).toHaveLength(
    2,
  );
});

test("TN-8, FC-335: Stop is no message, and also stops a running sub-agent, and no result of it comes later", async () => {
  const page = await scene.openChannel("Stopped sub-agents");
  await say(page, "spawn a sub-agent to slowly count to 500 and report");
  await page.locator("#live li", { hasText: "slowly count to 500" }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await heard(page, /Stopped.*1/).waitFor();
  await page.locator("#live li").waitFor({ state: "detached" });
  await say(page, "count to 2");
  await heard(page, "1, 2 — done.").waitFor();
  expect((await conversation(page)).filter((line) => /The sub-agent|\/stop/.test(line))).toEqual([]);
});

test("SK-1: a channel and a thread in it are conversations of their own with memories of their own", async () => {
  const page = await scene.open();
  await page.getByText("New channel").click();
  await page.keyboard.type("Release planning");
  await arriveAt(page, () => page.keyboard.press("Enter"));
  await page.getByRole("heading", { name: "Release planning" }).waitFor();
  await say(page, "remember that we ship on Friday");
  await heard(page, "we ship on Friday").waitFor();
  await page.getByText("New thread").click();
  await page.keyboard.type("Packaging");
  await arriveAt(page, () => page.keyboard.press("Enter"));
  await page.getByRole("heading", { name: /Release planning.*Packaging/s }).waitFor();
  await say(page, "what did I say?");
  await heard(page, "nothing before").waitFor();
  await arriveAt(page, () => page.getByRole("navigation").getByRole("link", { name: "Release planning" }).click());
  await say(page, "what did I say?");
  await heard(page, '"remember that we ship on Friday"').waitFor();
  expect((await conversation(page)).filter((line) => line.includes("nothing before"))).toEqual([]);
});

test("SK-5: a thread continues a message, which stands above it and is told to the agent", async () => {
  const page = await scene.openChannel("Threads");
  await say(page, "count to 4");
  await heard(page, "1, 2, 3, 4 — done.").hover();
  await arriveAt(page, () => heard(page, "4 — done.").getByRole("button", { name: "Thread" }).click());
  await page.locator(".origin", { hasText: "1, 2, 3, 4 — done." }).waitFor();
  await say(page, "count to 2");
  await heard(page, "1, 2 — done.").waitFor();
  await arriveAt(page, () => page.getByRole("heading").getByRole("link", { name: "Threads" }).click());
  expect(await conversation(page)).toEqual(["You: count to 4", "Switchyard: 1, 2, 3, 4 — done."]);
});

test("CH-4: the field of a form that opens has the focus at once, so that no letter typed is lost", async () => {
  const page = await scene.openChannel("Fast typing");
  const focused = await page.evaluate(`
    document.querySelector("details.popover summary").click();
    document.activeElement.matches("details.popover[open] input");
  `);
  expect(focused).toBe(true);
});

test("CH-4: what is said elsewhere shows as unread until it is opened", async () => {
  const page = await scene.openChannel("Quiet room");
  const other = await scene.openChannel("Busy room");
  await say(other, "count to 2");
  await page.locator("nav a.unread", { hasText: "Busy room" }).waitFor();
  await arriveAt(page, () => page.getByRole("link", { name: "Busy room" }).click());
  await heard(page, "1, 2 — done.").waitFor();
  await page.locator("nav a.unread", { hasText: "Busy room" }).waitFor({ state: "detached" });
});
