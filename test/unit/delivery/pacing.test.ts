import { describe, expect, it } from "vitest";
import { createPacer, type PacedConversation } from "../../../src/delivery/pacing.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const CHAT = { intervalMs: 1_000, burst: 5 };
const BOT = { name: "bot", intervalMs: 1_000 / 30, burst: 30 };
const GROUP = { intervalMs: 3_000, burst: 10 };

function place(chat: string, changes: Partial<PacedConversation> = {}): PacedConversation {
  return {
    account: "telegram/default",
    conversation: chat,
    buckets: [BOT, { ...CHAT, name: `chat:${chat}` }],
    paced: true,
    ...changes,
  };
}

/** Sends one after the other, as a lane does; gives the time of each, in milliseconds from the start. */
async function sendTimes(to: PacedConversation, count: number): Promise<number[]> {
  const clock = new FakeClock(0);
  const pacer = createPacer(clock);
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await pacer.wait(to, async (ms) => clock.advance(ms));
    times.push(clock.now());
  }
  return times;
}

describe("pacing", () => {
  it("DL-5: five at once into one chat, then one a second", async () => {
    expect(await sendTimes(place("a"), 8)).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 3_000]);
  });

  it("DL-5: a group gets ten, within the chat's own rate, then one every three seconds", async () => {
    const group = place("g", { buckets: [{ ...CHAT, name: "chat:g" }, { ...GROUP, name: "group:g" }, BOT] });
    const times = await sendTimes(group, 16);
    expect(times.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(times.slice(13).map((time, index) => time - (times[12 + index] ?? 0))).toEqual([3_000, 3_000, 3_000]);
  });

  it("DL-5: when the machine's clock is set back by an hour, no message waits an hour for its tokens or for a hold", async () => {
    const clock = new FakeClock(10_000_000);
    const pacer = createPacer(clock);
    for (let index = 0; index < 6; index += 1) await pacer.wait(place("a"), async (ms) => clock.advance(ms));
    pacer.hold(place("b"), null, clock.now() + 5_000);
    clock.advance(-3_600_000);
    const waits: number[] = [];
    await pacer.wait(place("a"), async (ms) => void waits.push(ms));
    expect(waits).toEqual([1_000]);
    expect(pacer.heldUntil(place("b")) - clock.now()).toBe(5_000);
  });

  it("DL-5: thirty a second over all chats of a bot, first come, first served", async () => {
    const clock = new FakeClock(0);
    const pacer = createPacer(clock);
    const waits: number[] = [];
    for (let chat = 0; chat < 33; chat += 1) {
      await pacer.wait(place(`c${chat}`), async (ms) => void waits.push(Math.round(ms)));
    }
    expect(waits).toEqual([33, 67, 100]);
  });

  it("DL-4: a chat that waits its turn takes nothing from the bot's other chats", async () => {
    const clock = new FakeClock(0);
    const pacer = createPacer(clock);
    let waited = 0;
    for (let index = 0; index < 40; index += 1) void pacer.wait(place("slow"), () => new Promise(() => undefined));
    await pacer.wait(place("quick"), async (ms) => {
      waited += ms;
    });
    expect(waited).toBe(0);
  });

  it("DL-5: pacing off waits for nothing, but a platform's hold still counts", async () => {
    expect(await sendTimes(place("a", { paced: false }), 20)).toEqual(Array(20).fill(0));
    const pacer = createPacer(new FakeClock(0));
    pacer.hold(place("a", { paced: false }), "bot", 500);
    expect(pacer.heldUntil(place("b", { paced: false }))).toBe(500);
  });

  it("DL-5: previews leave a token to finals, and typing leaves two", () => {
    const pacer = createPacer(new FakeClock(0));
    const take = (use: "preview" | "typing") => pacer.tryTake(place("a"), use);
    expect([take("typing"), take("typing"), take("typing"), take("typing")]).toEqual([true, true, true, false]);
    expect([take("preview"), take("preview")]).toEqual([true, false]);
  });

  it("DL-4: a hold covers what shares the bucket and nothing else", () => {
    const clock = new FakeClock(0);
    const pacer = createPacer(clock);
    pacer.hold(place("a"), "chat:a", 1_000);
    pacer.hold(place("b"), null, 2_000);
    pacer.hold(place("c"), "no such bucket", 3_000);
    const held = ["a", "b", "c", "d"].map((chat) => pacer.heldUntil(place(chat)));
    expect(held).toEqual([1_000, 2_000, 3_000, 0]);
    expect(pacer.heldUntil(place("a", { account: "telegram/second" }))).toBe(0);
    expect(pacer.tryTake(place("a"), "preview")).toBe(false);
    clock.advance(1_000);
    expect(pacer.tryTake(place("a"), "preview")).toBe(true);
  });
});
