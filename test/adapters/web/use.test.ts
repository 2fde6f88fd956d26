import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { webRenderer } from "../../../adapters/web/index.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import { httpTexts } from "../../../src/core/texts/http.ts";
import { pageProblems, pageTexts, scriptTexts } from "../../../src/core/texts/page.ts";
import { delivery, words } from "../../contracts/adapter.ts";
import { launchBrowser, openPage } from "../../support/browser.ts";
import { OPERATOR, type WebHarness, webHarness } from "./harness.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const open: WebHarness[] = [];
const pages: Page[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
  for (const harness of open.splice(0)) {
    await harness.adapter.stop();
    await harness[Symbol.asyncDispose]();
  }
});

async function started(options: { readonly token?: string } = {}): Promise<WebHarness> {
  const harness = await webHarness(options);
  open.push(harness);
  await harness.adapter.start(harness.host);
  return harness;
}

const TOKEN = "a-token-for-this-test";
const LONG = [
  "## Plan",
  "See [this](https://example.org).",
  `\`\`\`ts\nconst wide = "${"word ".repeat(60)}";\n\`\`\``,
  `| a | b |\n|--|--:|\n| ${"wide".repeat(60)} | 2 |`,
  "- [x] done\n- [ ] open\n- [ ] \n  ```\n  code\n  ```",
  "> quote\n\n1. one\n   - two",
].join("\n\n");

async function visited(harness: WebHarness, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { page } = await openPage(browser, { viewport: { width: 1100, height: 700 }, bypassCSP: true, ...options });
  pages.push(page);
  const connected = page.waitForResponse((response) => response.url().endsWith("/stream"));
  await page.goto(harness.url + path);
  await connected;
  return page;
}

const answer = async (harness: WebHarness, text: string, key: string): Promise<string> => {
  const content = { ...words(text), piece: webRenderer.render(parseMarkdown(text)) } as ReturnType<typeof words>;
  const sent = await harness.adapter.send(delivery(OPERATOR, content, { key }), AbortSignal.timeout(5000));
  return sent.outcome === "sent" ? (sent.messageIds[0] ?? "") : "";
};

async function filled(harness: WebHarness, answers: number): Promise<string> {
  for (let n = 0; n < answers; n += 1) await answer(harness, `Answer ${n} with [a link](https://example.org)`, `k${n}`);
  await harness.post("a question");
  return answer(harness, LONG, "long");
}

async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults;
  return found.violations.map((one) => `${page.url()} ${one.id}: ${one.nodes[0]?.html.slice(0, 200)}`);
}

/** Bright and dark, wide and narrow. */
async function inEveryLook(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of [1100, 340]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 700 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      found.push(...(await findings(page)).map((one) => `${width} ${colorScheme}: ${one}`));
    }
  }
  return found;
}

describe("the chat page for everybody", () => {
  test("FC-338: axe finds nothing on an empty page, a page of words and the sign-in", { timeout: 60_000 }, async () => {
    const harness = await started();
    const page = await visited(harness, "/web/");
    expect(await inEveryLook(page)).toEqual([]);
    await page.goto(`${harness.url}/web/c/nowhere`);
    expect(await findings(page)).toEqual([]);
    const locked = await started({ token: TOKEN });
    await page.goto(`${locked.url}/web/`);
    await page.locator("#token").waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test("FC-338: axe finds nothing in a long history, while something runs, fails or is open", {
    timeout: 60_000,
  }, async () => {
    const harness = await started();
    const long = await filled(harness, 3);
    await harness.adapter.capabilities.nativeCommands?.register([{ name: "status", description: "x", arguments: [] }]);
    const page = await visited(harness, "/web/");
    const live = await answer(harness, "It", "live");
    const piece = { rich: "<p>It was</p>", plain: "" };
    await harness.adapter.capabilities.edits?.preview(OPERATOR, live, piece, AbortSignal.timeout(5000));
    const running = {
      route: OPERATOR,
      sessionKey: "agent:main:main",
      state: "running",
      lines: ["reads a file"],
    } as const;
    harness.adapter.capabilities.progress?.show(running);
    await page.locator("#live-actions button").waitFor();
    harness.host.refuse = { result: "refused", rule: "limits.perSender" };
    await page.fill("#text", "too much");
    await page.keyboard.press("Enter");
    await page.locator("#pending .failed button").first().waitFor();
    await page.locator("#text").pressSequentially("/st");
    expect(await inEveryLook(page)).toEqual([]);
    for (const popover of await page.locator("details.over > summary").all()) {
      await popover.click();
      expect(await findings(page)).toEqual([]);
    }
    const thread = new URLSearchParams({ message: long });
    await fetch(`${harness.url}/web/c/operator/threads`, { method: "POST", body: thread });
    const inThread = await visited(harness, `/web/c/operator/t/m${long}`);
    expect(await findings(inThread)).toEqual([]);
  });

  test("FC-338: from the top of a long history the field is a few steps away, and messages are walked by arrow keys", async () => {
    const harness = await started();
    await filled(harness, 60);
    const page = await visited(harness, "/web/");
    const focused = (): Promise<string> =>
      page.evaluate("document.activeElement.id || document.activeElement.className");
    expect(await focused()).toBe("text");
    await page.getByText(pageTexts.skip).focus();
    let steps = 0;
    for (; steps < 30 && (await focused()) !== "text"; steps += 1) await page.keyboard.press("Tab");
    expect(steps).toBeLessThan(25);
    await page.locator("#log .message").last().focus();
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate("document.activeElement.querySelector('.body').textContent")).toBe("a question");
    await page.keyboard.press("Home");
    expect(await page.evaluate("document.activeElement.querySelector('.body').textContent")).toMatch(/^Answer 0 /);
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("text");
  });

  test("FC-338: code is coloured, and code and messages are copied by a button", async () => {
    const harness = await started();
    await answer(harness, "Look:\n\n```sh\nls -l\ncd\n```", "k");
    const page = await visited(harness, "/web/", { permissions: ["clipboard-read", "clipboard-write"] });
    const copied = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
    await page.locator("figure.code code .hljs-built_in", { hasText: "cd" }).waitFor();
    await page.locator("figure.code .copy").focus();
    await page.keyboard.press("Enter");
    await page.locator("#notice", { hasText: scriptTexts.copied }).waitFor({ state: "attached" });
    expect(await copied()).toBe("ls -l\ncd");
    await page.locator("#log .message").hover();
    await page.getByRole("button", { name: scriptTexts.copyMessage }).click();
    await page.locator(".meta .copy", { hasText: scriptTexts.copied }).waitFor();
    expect((await copied()).replace(/\n+/g, "\n")).toBe("Look:\nls -l\ncd");
  });

  test("FC-338: a thread shows on its message at once, in every page that is open", async () => {
    const harness = await started();
    const message = await answer(harness, "Shall I?", "k");
    const page = await visited(harness, "/web/");
    const form = new URLSearchParams({ message });
    await fetch(`${harness.url}/web/c/operator/threads`, { method: "POST", body: form });
    await page.getByRole("link", { name: pageTexts.openThread }).click();
    await page.locator(".origin", { hasText: "Shall I?" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Shall I?" }).waitFor();
  });

  test("FC-338: the page is called by its agent, and a conversation by its new name, also in other open pages", async () => {
    const harness = await started();
    harness.host.agent = "Harbour";
    await answer(harness, "Hello", "k");
    await harness.host.conversations.open({ to: "general", threadId: null, title: "General" });
    const page = await visited(harness, "/web/c/general");
    const other = await visited(harness, "/web/");
    expect(await page.title()).toBe("General · Harbour");
    expect(await other.locator("#log .agent b").textContent()).toBe("Harbour");
    await page.getByText(pageTexts.options).locator("..").click();
    await page.getByLabel(pageTexts.newTitle).fill("All <b>hands</b>");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "All <b>hands</b>" }).waitFor();
    await other.locator("#places a", { hasText: "All <b>hands</b>" }).waitFor();
  });

  test("FC-338: a channel is deleted with its threads after a second step; the operator's own conversation stays", async () => {
    const harness = await started();
    await harness.host.conversations.open({ to: "general", threadId: null, title: "General" });
    await harness.host.conversations.open({ to: "general", threadId: "t-12345678", title: "Within" });
    const page = await visited(harness, "/web/c/general");
    const inThread = await visited(harness, "/web/c/general/t/t-12345678");
    await page.getByText(pageTexts.options).locator("..").click();
    await page.getByText(pageTexts.deleteChannel).click();
    await page.getByRole("button", { name: pageTexts.delete, exact: true }).click();
    await page.waitForURL("**/web/c/operator");
    await inThread.locator("#connection", { hasText: scriptTexts.gone }).waitFor();
    expect((await harness.host.conversations.list()).map((one) => one.to)).toEqual(["operator", "operator"]);
    expect(harness.host.accepted.at(-1)).toMatchObject({
      kind: "thread_changed",
      threadChange: { what: "deleted" },
      route: { to: "general", threadId: null },
    });
    const refused = await fetch(`${harness.url}/web/c/operator/delete`, { method: "POST" });
    expect([refused.status, await refused.json()]).toEqual([400, { problem: pageProblems.keepsOperator }]);
  });

  test("FC-338: who signed in can sign out, and is asked for the token again", async () => {
    const harness = await started({ token: TOKEN });
    const { page } = await openPage(browser);
    pages.push(page);
    await page.goto(`${harness.url}/web/`);
    await page.fill("#token", "wrong");
    await page.keyboard.press("Enter");
    await page.getByText(httpTexts.wrongToken).waitFor();
    await page.fill("#token", TOKEN);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: pageTexts.signOut }).click();
    await page.waitForURL("**/login");
    await page.goto(`${harness.url}/web/`);
    await page.locator("#token").waitFor();
    const free = await visited(await started(), "/web/");
    expect(await free.getByRole("button", { name: pageTexts.signOut }).count()).toBe(0);
  });
});
