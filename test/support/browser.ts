import { setTimeout as sleep } from "node:timers/promises";
import bundled from "@sparticuz/chromium";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const PATIENCE_MS = 10_000;
const UNPACKING_TRIES = 60;
const UNPACKING_MS = 500;

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * A real Chromium: the one of `CHROMIUM_PATH` when it is set, else the one that came with the dependencies.
 * Names other than this machine's resolve to nothing, so that no test reaches the network. Close it in the test.
 */
export async function launchBrowser(): Promise<Browser> {
  bundled.setGraphicsMode = false;
  const executablePath = process.env.CHROMIUM_PATH ?? (await bundled.executablePath());
  for (let tried = 1; ; tried += 1) {
    try {
      return await chromium.launch({
        executablePath,
        headless: true,
        args: [...FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
      });
    } catch (error) {
      // Another process is still unpacking the same program.
      if (tried === UNPACKING_TRIES || !String(error).includes("ETXTBSY")) throw error;
      await sleep(UNPACKING_MS);
    }
  }
}

export interface WatchedPage {
  readonly page: Page;
  /** What the page complained of: script errors, console errors, violations of its security policy. */
  readonly problems: readonly string[];
}

/** A page in a context of its own, with everything it complains of. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  return { page, problems };
}
