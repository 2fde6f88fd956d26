import { expect, it } from "vitest";
import { conversationKey, type Route } from "../../../src/core/delivery/delivery.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import { defineStep } from "../../../src/store/store.ts";
import { seedDelivery } from "../../support/store-seeds.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, inGroup } from "./desk.ts";

const bobDirect = { sender: bob, peer: { kind: "direct", id: "222", label: null } } as const;

async function sent(desk: Desk, route: Route, messageId: string): Promise<void> {
  const { store } = desk.test;
  const content = {
    kind: "message",
    piece: { rich: "hidden", plain: "hidden" },
    replyTo: null,
    private: false,
  } as const;
  const id = await store.step(seedDelivery, {
    delivery: { key: `k:${conversationKey(route)}:${messageId}`, route, content },
    state: "pending",
    reason: null,
  });
  await store.step(claimDelivery, id);
  const settlement = { state: "sent", messageIds: [messageId] } as const;
  await store.step(settleDelivery, { id, conversation: conversationKey(route), settlement });
  await desk.answers();
}

const ofSession = defineStep("test-of-session", "normal", async ({ db }, key: string) => {
  await db.updateTable("deliveries").set({ session_key: key }).execute();
});

const repliesTo = (messageId: string) => ({ messageId, senderName: "x", text: "x", fromBot: true });
const direct: Route = { channel: "telegram", accountId: "default", to: "111", threadId: null };

describeOnEveryStore("/why", (open) => {
  it("IN-17, CM-8: as a reply it is about the message replied to, sent ones too, and shows no text", async () => {
    const desk = new Desk(await open());
    await sent(desk, direct, "900");
    const told = await desk.ask("/why", { replyTo: repliesTo("900") });
    expect(told).toContain("Delivery 1: sent as message 900");
    expect(told).toContain("goes to: telegram/default 111");
    expect(told).not.toContain("hidden");
    const usage = await desk.ask("/why");
    expect(usage).toContain("Send /why as a reply to a message");
    expect(usage).toContain("On this platform a link looks like this: https://t.me/");
  });

  it("CM-8: in a group it tells of that conversation only, in a direct chat of every one", async () => {
    const desk = new Desk(await open());
    await sent(desk, direct, "900");
    const asked = await desk.ask("/why@switchyard_bot telegram:111/900", inGroup(), groupKey);
    expect(asked).toBe("This message belongs to another conversation. Ask me in a direct message.");
    expect(await desk.ask("/why telegram:111/900")).toContain("Delivery 1: sent as message 900");
  });

  it("CM-5, IN-17: it is for owners", async () => {
    const desk = new Desk(await open());
    const told = await desk.ask("/why 900", bobDirect, bobKey);
    expect(told).toContain("Only owners can use /why");
  });

  it("IN-17: what waits says what it waits for, and what a limit or a queue refused names the key", async () => {
    const desk = new Desk(await open(), { limits: { perSender: { perMinute: 1 } } });
    await desk.write("first", { messageId: "801" });
    await desk.write("second", { messageId: "802" });
    await desk.answers();
    expect(await desk.ask("/why telegram:111/801", { messageId: "803" })).toContain(
      "Message 801: waiting for a free turn slot",
    );
    const refused = await desk.ask("/why telegram:111/802", { messageId: "804" });
    expect(refused).toContain("Message 802: refused");
    expect(refused).toContain("limits.perSender.perMinute is 1");
    expect(refused).toContain("told by: delivery");
  });

  it("TN-3, IN-17: what left a full queue names its policy, and what a command took back names the command", async () => {
    const desk = new Desk(await open(), { messages: { queue: { cap: 1, drop: "summarize" } } });
    await desk.write("first", { messageId: "801" });
    await desk.write("second", { messageId: "802" });
    const left = await desk.ask("/why telegram:111/801", { messageId: "803" });
    expect(left).toContain("Message 801: removed from a full queue");
    expect(left).toContain("messages.queue.cap is 1: shortened into a notice");
    await desk.ask("/stop", { messageId: "804" });
    expect(await desk.ask("/why telegram:111/802", { messageId: "805" })).toContain(
      "Message 802: withdrawn by /stop before a turn began",
    );
  });

  it("IN-17: as a reply it is about this chat's message, also where another has a topic and a message of the same ids", async () => {
    const desk = new Desk(await open());
    const topic = (to: string): Route => ({ channel: "telegram", accountId: "default", to, threadId: "7" });
    await sent(desk, topic("-100777"), "900");
    await sent(desk, topic("-100555"), "900");
    const here = { ...inGroup(), route: topic("-100555"), thread: { kind: "topic", id: "7", label: null } } as const;
    const told = await desk.ask("/why@switchyard_bot", { ...here, replyTo: repliesTo("900") }, `${groupKey}:topic:7`);
    expect(told).toContain("Delivery 2: sent as message 900");
    expect(told).not.toContain("Delivery 1");
    const several = await desk.ask("/why telegram:7/900");
    expect(several).toContain("/why telegram:-100777/7/900");
    expect(several).toContain("/why telegram:-100555/7/900");
    expect(await desk.ask("/why telegram:-100777/7/900")).toContain("Delivery 1: sent as message 900");
  });

  it("IN-17: in a direct chat a reply is about this account's message; another account's has its own name", async () => {
    const desk = new Desk(await open());
    await sent(desk, { ...direct, accountId: "second" }, "900");
    await sent(desk, direct, "900");
    const told = await desk.ask("/why", { replyTo: repliesTo("900") });
    expect(told).toContain("Delivery 2: sent as message 900");
    expect(told).not.toContain("Delivery 1");
    expect(await desk.ask("/why telegram/second:111/900")).toContain("goes to: telegram/second 111");
  });

  it("CM-8: in a group nothing names the direct chat an agent was asked in to write here", async () => {
    const desk = new Desk(await open());
    await sent(desk, inGroup().route as Route, "900");
    await desk.test.store.step(ofSession, bobKey);
    const asked = { ...inGroup(), replyTo: repliesTo("900") };
    const told = await desk.ask("/why@switchyard_bot", asked, groupKey);
    expect(told).toContain("Delivery 1: sent as message 900");
    expect(told).not.toContain("222");
    expect(await desk.ask("/why telegram:-100555/900")).toContain(`session: ${bobKey}`);
  });
});
