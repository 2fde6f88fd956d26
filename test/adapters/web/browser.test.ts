import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { delivery, words } from "../../contracts/adapter.ts";
import { launchBrowser, openPage, type WatchedPage } from "../../support/browser.ts";
import { OPERATOR, type WebHarness, webHarness } from "./harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const open: WebHarness[] = [];
const pages: WatchedPage[] = [];
afterEach(async () => {
  const problems = pages.splice(0).map(async ({ page, problems }) => {
    await page.context().close();
    return problems;
  });
  expect((await Promise.all(problems)).flat()).toEqual([]);
  for (const harness of open.splice(0)) {
    await harness.adapter.stop();
    await harness[Symbol.asyncDispose]();
  }
});

async function opened(path = "/"): Promise<{ harness: WebHarness; page: Page }> {
  const harness = await webHarness();
  open.push(harness);
  await harness.adapter.start(harness.host);
  const commands = ["status", "stop"].map((name) => ({ name, description: `does ${name}`, arguments: [] }));
  await harness.adapter.capabilities.nativeCommands?.register(commands);
  const watched = await openPage(browser, { viewport: { width: 1100, height: 700 } });
  pages.push(watched);
  const connected = watched.page.waitForResponse((response) => response.url().endsWith("/stream"));
  await watched.page.goto(harness.url + path);
  await connected;
  return { harness, page: watched.page };
}

const texts = (page: Page): Promise<string[]> => page.locator("#log .body").allInnerTexts();
const answer = (harness: WebHarness, text: string, key: string, messageIds: readonly string[] = []) =>
  harness.adapter.send(delivery(OPERATOR, words(text), { key, messageIds }), AbortSignal.timeout(5000));

describe("the chat page in a browser", () => {
  test("CH-4: Enter sends, Shift+Enter makes a line, and a message stands there once, also after a reload", async () => {
    const { harness, page } = await opened();
    await page.locator("#text").pressSequentially("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await page.locator("#log .person .state").waitFor();
    await page.locator("#pending:empty").waitFor({ state: "attached" });
    expect(harness.host.accepted.map((event) => event.text)).toEqual(["one\ntwo"]);
    expect(await texts(page)).toEqual(["one\ntwo"]);
    expect(await page.locator("#text").inputValue()).toBe("");
    await page.reload();
    expect(await texts(page)).toEqual(["one\ntwo"]);
  });

  test("TN-11: a streamed answer grows in place and ends as one message", async () => {
    const { harness, page } = await opened();
    const sent = await answer(harness, "It", "k");
    const messageIds = sent.outcome === "sent" ? sent.messageIds : [];
    await page.locator("#log .agent", { hasText: "It" }).waitFor();
    const piece = { rich: "<p>It was a dark</p>", plain: "" };
    await harness.adapter.capabilities.edits?.preview(OPERATOR, messageIds[0] ?? "", piece, AbortSignal.timeout(5000));
    await page.locator("#log .streaming", { hasText: "It was a dark" }).waitFor();
    await answer(harness, "It was a dark night.", "k", messageIds);
    await page.locator("#log .agent:not(.streaming)", { hasText: "It was a dark night." }).waitFor();
    expect(await texts(page)).toEqual(["It was a dark night."]);
  });

  test("CH-4: after a lost connection nothing is missing, doubled or left behind", async () => {
    const { harness, page } = await opened();
    const first = await answer(harness, "stays", "k1");
    const second = await answer(harness, "goes away", "k2");
    await page.locator("#log .agent", { hasText: "goes away" }).waitFor();
    await harness.adapter.stop();
    const log = harness.host.conversations;
    if (first.outcome === "sent") await log.edit(Number(first.messageIds[0]), { html: "stays, edited", text: "" });
    if (second.outcome === "sent") await log.remove(Number(second.messageIds[0]));
    await log.append({ key: "x", route: OPERATOR, author: "agent", html: "meanwhile", text: "", attachments: [] });
    await harness.adapter.start(harness.host);
    await page.locator("#log .agent", { hasText: "meanwhile" }).waitFor();
    await answer(harness, "live again", "k3");
    await page.locator("#log .agent", { hasText: "live again" }).waitFor();
    expect(await texts(page)).toEqual(["stays, edited", "meanwhile", "live again"]);
  });

  test("IN-3: a message that could not be stored is sent again by itself and arrives once", async () => {
    const { harness, page } = await opened();
    harness.host.storeIsAway = true;
    await page.fill("#text", "important");
    await page.keyboard.press("Enter");
    await page.locator("#pending .failed").waitFor();
    harness.host.storeIsAway = false;
    await page.locator("#pending:empty").waitFor({ state: "attached" });
    await page.locator("#log .person", { hasText: "important" }).waitFor();
    expect(harness.host.accepted.map((event) => event.text)).toEqual(["important"]);
    // The page has said so to the person; the failed request itself is what the console reports.
    expectOnly(/503/);
  });

  test("IN-17: a refused message says why, and the person decides", async () => {
    const { harness, page } = await opened();
    harness.host.refuse = { result: "refused", rule: "limits.perSender" };
    await page.fill("#text", "too much");
    await page.keyboard.press("Enter");
    await page.locator("#pending .failed", { hasText: "limits.perSender" }).waitFor();
    harness.host.refuse = null;
    await page.getByRole("button", { name: "Send again" }).click();
    await page.locator("#log .person", { hasText: "too much" }).waitFor();
    expect(harness.host.accepted).toHaveLength(1);
    expectOnly(/422/);
  });

  test("CM-2: typing a slash offers the commands, and arrow and Tab take one", async () => {
    const { page } = await opened();
    await page.locator("#text").pressSequentially("/st");
    await page.getByRole("option", { name: /status/ }).waitFor();
    expect(await page.locator("#text").getAttribute("aria-activedescendant")).toBe("command-status");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator("#text").getAttribute("aria-activedescendant")).toBe("command-stop");
    await page.keyboard.press("Tab");
    expect(await page.locator("#text").inputValue()).toBe("/stop ");
    expect(await page.locator("#suggestions").isVisible()).toBe(false);
  });

  test("IN-12: files are chosen, can be taken out again, and go with the message", async () => {
    const { harness, page } = await opened();
    const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
    await page.setInputFiles("#file", [file("keep.txt"), file("drop.txt")]);
    await page.getByRole("button", { name: "Remove drop.txt" }).click();
    await page.fill("#text", "see file");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator("#log .file", { hasText: "keep.txt" }).waitFor();
    expect(harness.host.accepted[0]?.attachments.map((one) => one.name)).toEqual(["keep.txt"]);
  });

  test("SK-5: a thread is started from a message, and other conversations show what is unread", async () => {
    const { harness, page } = await opened();
    await answer(harness, "Shall I?", "k1");
    await page.locator("#log .agent").hover();
    await page.getByRole("button", { name: "Thread", exact: true }).click();
    await page.locator(".origin", { hasText: "Shall I?" }).waitFor();
    await page.fill("#text", "yes");
    await page.keyboard.press("Enter");
    await page.locator("#log .person", { hasText: "yes" }).waitFor();
    expect(harness.host.accepted[0]?.route.threadId).toMatch(/^m\d+$/);
    harness.host.clock.advance(1);
    await harness.host.conversations.open({ to: "general", threadId: null, title: "General" });
    await answer(harness, "Something new up here", "k2");
    await page.locator('nav a.unread[href="/web/c/general"]').waitFor();
    expect(await page.locator("nav a.unread").count()).toBe(2);
  });

  test("CH-4: every field and button has a name, and the page works from the keyboard", async () => {
    const { page } = await opened();
    const nameless = await page.evaluate(
      `[...document.querySelectorAll("button, input:not([type=hidden]), textarea")]
         .filter((one) => !one.textContent.trim() && !one.labels?.[0]?.textContent.trim() && !one.ariaLabel)
         .map((one) => one.outerHTML)`,
    );
    expect(nameless).toEqual([]);
    expect(await page.evaluate("document.activeElement.id")).toBe("text");
    expect(await page.getByRole("log").locator("#log").count()).toBe(1);
  });

  test("CH-4: on a phone the list opens over the conversation and nothing is wider than the screen", async () => {
    const { harness, page } = await opened();
    await page.setViewportSize({ width: 360, height: 640 });
    await answer(harness, `<pre>${"wide ".repeat(100)}</pre>`, "k1");
    await page.locator("#log pre").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await page.locator("#places").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("link", { name: "Plans" }).click();
    await page.getByRole("heading", { name: /Plans/ }).waitFor();
  });
});

/** The page's only complaints so far are of this kind; they are expected and taken off. */
function expectOnly(pattern: RegExp): void {
  for (const watched of pages) {
    expect(watched.problems.filter((problem) => !pattern.test(problem))).toEqual([]);
    (watched.problems as string[]).length = 0;
  }
}
