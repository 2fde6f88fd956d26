import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startTestBridge, type TestBridge } from "../support/test-bridge.ts";
import type { WebMessage } from "../support/web-person.ts";

const KILL_AT = fileURLToPath(new URL("./kill-at.ts", import.meta.url));
const ANSWER = "1, 2, 3 — done.";

/** After the spawn is stored; with a send claimed, so in the middle of making the thread; and after each one's receipt. */
const POINTS = [
  "spawn",
  "claim-repeatable-delivery:1",
  "settle-repeatable-delivery:1",
  "claim-repeatable-delivery:2",
  "settle-repeatable-delivery:2",
  "settle-repeatable-delivery:3",
];

test.for(POINTS)(
  "TB-7: killed after %s, the restart leaves one thread with one opening and one answer",
  { timeout: 120_000 },
  async (point) => {
    await using bridge = await startTestBridge({
      telegram: false,
      start: { nodeArgs: ["--import", KILL_AT], env: { KILL_AT_STEP: point } },
    });
    const channel = await bridge.web.channel("Kitchen");
    // The answer to this may be cut with the process; the message is stored before.
    await channel.says("spawn a helper in a thread to count to three").catch(() => undefined);
    await bridge.process.exited;
    await bridge.restart();
    const threads = await settled(bridge, channel.path);
    expect(threads).toHaveLength(1);
    const [path = ""] = threads;
    const thread = bridge.web.at(path);
    await thread.hears(ANSWER);
    const said = (await thread.messages()).map((message: WebMessage) => message.text);
    expect(said.filter((text) => text.includes("Write here"))).toHaveLength(1);
    expect(said.filter((text) => text === ANSWER)).toHaveLength(1);
    expect(await settled(bridge, channel.path)).toEqual(threads);
  },
);

/** The threads agents have made in a channel, as soon as there is one. */
async function settled(bridge: TestBridge, channel: string): Promise<readonly string[]> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const page = await (await fetch(bridge.process.url + channel)).text();
    const found = [...page.matchAll(new RegExp(`href="(${channel}/t/d-[0-9a-f]+)"`, "g"))].map(
      ([, path]) => path ?? "",
    );
    if (found.length > 0) return [...new Set(found)];
    if (Date.now() > deadline) throw new Error(`no thread in ${channel}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
