/**
 * Makes chat.png, the picture of the chat page in the README, from the running program with the demo model:
 * `node docs/images/make-chat-image.ts`.
 */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../test/support/browser.ts";
import { startSwitchyardProcess } from "../../test/support/switchyard-process.ts";
import { webPerson } from "../../test/support/web-person.ts";

const IMAGE = fileURLToPath(new URL("./chat.png", import.meta.url));

const program = await startSwitchyardProcess({
  config: {
    models: { providers: { demo: { type: "demo" } } },
    agents: { defaults: { model: "demo/switchyard" } },
    channels: { web: { enabled: true } },
  },
});
try {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 860 },
      colorScheme: "light",
      locale: "en-GB",
    });
    await picture(page);
  } finally {
    await browser.close();
  }
} finally {
  await program.kill();
  await program.remove();
}

async function picture(page: Page): Promise<void> {
  const person = webPerson(() => program.url);
  const releases = await person.channel("Releases");
  await releases.thread("Version 0.2");
  await person.channel("Support");
  await page.goto(program.url);
  await say(page, "spawn a sub-agent called night-watch to slowly count to 500 and report");
  await heard(page, "night-watch");
  await say(page, "spawn a sub-agent to count to three and report");
  await heard(page, "is done and reports");
  await say(page, "show markdown");
  await heard(page, "Markdown sample");
  await page.mouse.move(0, 0);
  await page.screenshot({ path: IMAGE, animations: "disabled" });
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.keyboard.press("Enter");
}

async function heard(page: Page, text: string): Promise<void> {
  await page.locator("#log .agent:not(.streaming)", { hasText: text }).waitFor();
}
