import { expect, test } from "vitest";
import { arriveAt, chatScene, conversation, heard, recordVersions, say } from "./chat-scene.ts";

const scene = chatScene();
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("OP-1: the first page says how to begin, and one click talks to the agent", async () => {
  const page = await scene.open();
  await page.getByRole("heading", { name: "Talk to your agent" }).waitFor();
  await page.getByRole("button", { name: "What can you do?" }).click();
  await heard(page, "built-in demo model").waitFor();
  expect(await page.getByRole("heading", { name: "Talk to your agent" }).isVisible()).toBe(false);
  expect((await conversation(page))[0]).toBe("You: What can you do?");
});

test("TN-11: an answer grows in place while the agent writes, and ends as one message", async () => {
  const page = await scene.openChannel("Streaming");
  const versions = await recordVersions(page);
  await say(page, "slowly count to 6");
  await page.locator("#log .streaming[aria-busy=true]").waitFor();
  await heard(page, "1, 2, 3, 4, 5, 6 — done.").waitFor();
  const seen = await versions();
  expect(seen.length).toBeGreaterThan(2);
  for (const [at, text] of seen.slice(0, -1).entries()) expect(seen[at + 1]?.startsWith(text)).toBe(true);
  expect(await conversation(page)).toEqual(["You: slowly count to 6", "Switchyard: 1, 2, 3, 4, 5, 6 — done."]);
});

test("TN-11: the newest words stay in view, and a reader who scrolled up stays where they are", async () => {
  const page = await scene.openChannel("Scrolling");
  await page.setViewportSize({ width: 900, height: 500 });
  const distance = () => page.locator("#scroll").evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight);
  await say(page, "write a long text");
  await heard(page, "A switchyard is where").waitFor();
  await expect.poll(distance).toBeLessThan(5);
  await page.locator("#scroll").evaluate((one) => one.scrollTo({ top: 0 }));
  const newest = page.getByRole("button", { name: "Newest messages" });
  await newest.waitFor();
  // Somebody else writes: the other tab's answer comes in below.
  const other = await scene.open(new URL(page.url()).pathname);
  await say(other, "count to 2");
  await heard(page, "1, 2 — done.").waitFor();
  expect(await page.locator("#scroll").evaluate((one) => one.scrollTop)).toBe(0);
  await newest.click();
  await expect.poll(distance).toBeLessThan(5);
  await newest.waitFor({ state: "hidden" });
});

test("CH-4: a reload in the middle of an answer, and a second tab, show the same conversation", async () => {
  const page = await scene.openChannel("Two tabs");
  const other = await scene.open(new URL(page.url()).pathname);
  await say(page, "slowly count to 7");
  await other.locator("#log .streaming").waitFor();
  await arriveAt(page, () => page.reload());
  for (const one of [page, other]) {
    await heard(one, "7 — done.").waitFor();
    expect(await conversation(one)).toEqual(["You: slowly count to 7", "Switchyard: 1, 2, 3, 4, 5, 6, 7 — done."]);
  }
});

test("TN-8: Stop ends the answer in the middle of a word and says so", async () => {
  const page = await scene.openChannel("Stopping");
  await say(page, "slowly count to 500");
  await page.locator("#log .streaming", { hasText: "1, 2" }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await heard(page, "Stopped").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await say(page, "count to 2");
  await heard(page, "1, 2 — done.").waitFor();
  expect((await conversation(page)).filter((line) => line.startsWith("Switchyard:"))).toEqual([
    expect.stringMatching(/^Switchyard: Stopped/),
    "Switchyard: 1, 2 — done.",
  ]);
});

test("CM-6: /status, /tools, /help and /new answer in the conversation, and /new forgets", async () => {
  const page = await scene.openChannel("Commands");
  await say(page, "remember that the key is under the mat");
  await heard(page, "the key is under the mat").waitFor();
  for (const [command, answer] of [
    ["/status", "demo/switchyard"],
    ["/tools", "sessions_spawn"],
    ["/help", "Stop what is running here"],
    ["/subagents list", /sub-?agents?/i],
    ["/stop", "Nothing"],
    ["/new", "fresh session"],
  ] as const) {
    await say(page, command);
    await heard(page, answer).last().waitFor();
  }
  await say(page, "what do you remember");
  await page.locator("#log .agent:last-child:not(.streaming)", { hasText: /remember|nothing/i }).waitFor();
  expect((await conversation(page)).at(-1)).not.toContain("under the mat");
});

test("CM-2: a command is found by typing its beginning, and sent from the keyboard alone", async () => {
  const page = await scene.openChannel("Keyboard");
  await page.keyboard.type("/stat");
  await page.getByRole("option", { name: /^\/status/ }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await heard(page, "demo/switchyard").waitFor();
});

test("IN-12: an image is shown in place, another file can be fetched, and the agent hears of both", async () => {
  const page = await scene.openChannel("Files");
  await page.setInputFiles("#file", [
    { name: "dot.png", mimeType: "image/png", buffer: PNG },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("remember the milk") },
  ]);
  await say(page, "look at this");
  await heard(page, /dot\.png.*notes\.txt/s).waitFor();
  const image = page.locator("#log .person img[alt='dot.png']");
  await expect.poll(() => image.evaluate((one) => "naturalWidth" in one && one.naturalWidth)).toBe(1);
  const coming = page.waitForEvent("download");
  await page.locator("#log a.file", { hasText: "notes.txt" }).click();
  const chunks = await (await coming).createReadStream().then((stream) => stream.toArray());
  expect(Buffer.concat(chunks).toString()).toBe("remember the milk");
});

test("CH-4: times are the reader's own, also after the stream has filled the page anew", async () => {
  const page = await scene.open("/", { timezoneId: "Asia/Kolkata", locale: "en-GB" });
  await say(page, "count to 5");
  await heard(page, "5 — done.").waitFor();
  await page.addInitScript(`
    document.addEventListener("htmx:sse:after:message", () => (document.documentElement.dataset.filled = "yes"));
  `);
  await page.reload();
  await page.locator("html[data-filled]").waitFor({ state: "attached" });
  const times = await page.locator("#log time").evaluateAll((all) =>
    all.map((time) => ({
      shown: time.textContent,
      own: new Date(time.getAttribute("datetime") ?? "").toLocaleTimeString("en-GB", {
        hour: "2-digit",
        minute: "2-digit",
        timeZone: "Asia/Kolkata",
      }),
    })),
  );
  expect(times.length).toBeGreaterThan(1);
  expect(times.map((time) => time.shown)).toEqual(times.map((time) => time.own));
});

test("CH-4: on a phone in the dark everything fits", async () => {
  const page = await scene.open("/", { viewport: { width: 360, height: 640 }, colorScheme: "dark", hasTouch: true });
  await say(page, "show markdown");
  await heard(page, "Markdown sample").waitFor();
  await say(page, `say exactly ${"long".repeat(100)}`);
  await heard(page, "longlong").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  await page.getByRole("button", { name: "Conversations" }).click();
  await page.getByRole("link", { name: "Direct chat" }).waitFor();
});
