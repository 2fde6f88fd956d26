import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { launchBrowser, openPage, type WatchedPage } from "../support/browser.ts";
import { type SwitchyardProcess, startSwitchyardProcess } from "../support/switchyard-process.ts";
import { webPerson } from "../support/web-person.ts";

const CONFIG = {
  models: { providers: { demo: { type: "demo" } } },
  agents: { defaults: { model: "demo/switchyard" } },
  limits: { perSender: { perMinute: 1000 } },
  channels: { web: { enabled: true } },
};
/** What the browser itself says when the server is away; the page tells the person. */
const AWAY = /^Failed to load resource: (?:net::ERR_|the server responded with a status of 503)|^htmx: htmx:sse:error/;
const PATIENCE_MS = 20_000;
const TEST_MS = 90_000;

/** The whole program with its page in a real browser, one of each per test file. */
export interface ChatScene {
  readonly program: () => SwitchyardProcess;
  /** A page in a browser context of its own. Default: the home page. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page on a new channel, so that tests do not meet. */
  openChannel(title: string): Promise<Page>;
  /** SIGKILL: nothing is said to anybody. From here on the page may complain that nobody is there. */
  kill(): Promise<void>;
  /** The same store, on the same port. */
  startAgain(): Promise<void>;
}

/** Opens a scene for the test file that calls it. After each test no page may have complained of anything. */
export function chatScene(): ChatScene {
  let browser: Browser;
  let program: SwitchyardProcess;
  let wasAway = false;
  const pages: WatchedPage[] = [];
  vi.setConfig({ testTimeout: TEST_MS });

  beforeAll(async () => {
    [browser, program] = await Promise.all([launchBrowser(), startSwitchyardProcess({ config: CONFIG })]);
  });
  afterEach(async () => {
    const watched = pages.splice(0);
    for (const { page } of watched) await page.context().close();
    const problems = watched.flatMap((one) => one.problems);
    expect(wasAway ? problems.filter((problem) => !AWAY.test(problem)) : problems).toEqual([]);
    wasAway = false;
  });
  afterAll(async () => {
    await browser?.close();
    await program?.kill();
    await program?.remove();
  });

  const scene: ChatScene = {
    program: () => program,
    async open(path = "/", options = {}) {
      const watched = await openPage(browser, options);
      watched.page.setDefaultTimeout(PATIENCE_MS);
      pages.push(watched);
      await arriveAt(watched.page, () => watched.page.goto(program.url + path));
      return watched.page;
    },
    async openChannel(title) {
      const { path } = await webPerson(() => program.url).channel(title);
      return scene.open(path);
    },
    async kill() {
      wasAway = true;
      await program.kill();
    },
    async startAgain() {
      const { folder, url } = program;
      program = await startSwitchyardProcess({
        config: CONFIG,
        folder,
        env: { SWITCHYARD_PORT: new URL(url).port },
      });
    },
  };
  return scene;
}

/** Goes somewhere and waits until the page there hears the server. */
export async function arriveAt(page: Page, go: () => Promise<unknown>): Promise<void> {
  const connected = page.waitForResponse((response) => response.url().endsWith("/stream") && response.ok());
  await go();
  await connected;
}

export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.keyboard.press("Enter");
}

/** A finished message of the agent with this text. */
export function heard(page: Page, text: string | RegExp): Locator {
  return page.locator("#log .agent:not(.streaming)", { hasText: text });
}

/** Everything that stands in the conversation, in order: who said what. */
export async function conversation(page: Page): Promise<readonly string[]> {
  return page
    .locator("#log .message")
    .evaluateAll((messages) =>
      messages.map((message) =>
        `${message.querySelector("b")?.textContent}: ${message.querySelector(".body")?.textContent}`.trim(),
      ),
    );
}

/** Records every text the newest message of the agent has from now on; `versions` gives them in order, repetitions left out. */
export async function recordVersions(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`
    window.versions = [];
    new MutationObserver(() => {
      const text = document.querySelector("#log .agent:last-child .body")?.textContent;
      if (text !== undefined && text !== window.versions.at(-1)) window.versions.push(text);
    }).observe(document.getElementById("log"), { childList: true, subtree: true, characterData: true });
  `);
  return () => page.evaluate<readonly string[]>("window.versions");
}
