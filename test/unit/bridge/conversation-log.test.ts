import { expect, test } from "vitest";
import { createConversationLog } from "../../../src/bridge/accounts/conversation-log.ts";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";

const room: Route = { channel: "web", accountId: "default", to: "room", threadId: null };
const thread: Route = { ...room, threadId: "t1" };
const file = { name: "a.txt", mime: "text/plain", bytes: 3, sha256: "0".repeat(64) };

function message(key: string, route: Route = room, author: "person" | "agent" = "person") {
  return { key, route, author, html: `<p>${key}</p>`, text: key, attachments: [] };
}

describeOnEveryStore("the conversation log", (open) => {
  async function openLog() {
    const { store, clock } = await open();
    const log = createConversationLog(store, "web", "default");
    await log.open({ to: "room", threadId: null, title: "Room" });
    await log.open({ to: "room", threadId: "t1", title: "Thread" });
    return { log, clock, store };
  }

  test("CH-4: a message appended twice under one key is kept once, as it was first", async () => {
    const { log } = await openLog();
    const first = await log.append({ ...message("k1"), attachments: [file] });
    const again = await log.append({ ...message("k1"), text: "other" });
    expect(first).toMatchObject({ isNew: true, message: { attachments: [file], route: room } });
    expect(again).toEqual({ isNew: false, message: first?.message });
    expect(await log.tail(room, 10)).toHaveLength(1);
  });

  test("CH-4: the same key in another account is another message", async () => {
    const { log, store } = await openLog();
    const other = createConversationLog(store, "web", "second");
    await other.open({ to: "room", threadId: null, title: "Room" });
    await log.append(message("k1"));
    expect(await other.append({ ...message("k1"), route: { ...room, accountId: "second" } })).toMatchObject({
      isNew: true,
    });
    expect(await other.tail(room, 10)).toHaveLength(1);
  });

  test("FC-039: a thread's messages are apart from its channel's", async () => {
    const { log } = await openLog();
    await log.append(message("in room"));
    await log.append(message("in thread", thread));
    expect((await log.tail(thread, 10)).map((one) => one.text)).toEqual(["in thread"]);
    expect((await log.tail(room, 10)).map((one) => one.text)).toEqual(["in room"]);
  });

  test("CH-4: a message taken back leaves nothing unread behind", async () => {
    const { log, clock } = await openLog();
    await log.append(message("stays"));
    const before = await log.find("room", null);
    clock.advance(1000);
    const appended = await log.append(message("goes"));
    await log.remove(appended?.message.id ?? 0);
    expect(await log.find("room", null)).toEqual(before);
  });

  test("CH-4: nothing is written into a conversation that was never opened", async () => {
    const { log } = await openLog();
    expect(await log.append(message("k", { ...room, to: "nowhere" }))).toBeNull();
    expect(await log.find("nowhere", null)).toBeNull();
  });

  test("CH-4: the tail gives the newest messages, oldest first, and pages backwards", async () => {
    const { log } = await openLog();
    for (const key of ["1", "2", "3", "4"]) await log.append(message(key));
    const newest = await log.tail(room, 2);
    expect(newest.map((one) => one.text)).toEqual(["3", "4"]);
    expect((await log.tail(room, 2, newest[0]?.id)).map((one) => one.text)).toEqual(["1", "2"]);
  });

  test("CH-4: an edit changes the content once and a removed message cannot be edited", async () => {
    const { log, clock } = await openLog();
    const added = await log.append(message("k", room, "agent"));
    const id = added?.message.id ?? 0;
    clock.advance(5);
    expect(await log.edit(id, { html: "<p>new</p>", text: "new" })).toMatchObject({
      text: "new",
      editedAt: clock.now(),
    });
    await log.remove(id);
    await log.remove(id);
    expect(await log.get(id)).toBeNull();
    expect(await log.edit(id, { html: "", text: "" })).toBeNull();
  });

  test("IN-14: only people's messages after the given time are offered again", async () => {
    const { log, clock } = await openLog();
    await log.append(message("old"));
    clock.advance(1000);
    await log.append(message("new"));
    await log.append(message("answer", room, "agent"));
    expect((await log.peopleSince(clock.now() - 500, 10)).map((one) => one.text)).toEqual(["new"]);
  });

  test("FC-338: a conversation is renamed; a channel is deleted with its threads and messages, others stay", async () => {
    const { log, store } = await openLog();
    const other = createConversationLog(store, "web", "second");
    await other.open({ to: "room", threadId: null, title: "Room" });
    await log.open({ to: "hall", threadId: null, title: "Hall" });
    for (const route of [room, thread, { ...room, to: "hall" }])
      await log.append(message(`in ${route.threadId}${route.to}`, route));
    expect(await log.rename({ to: "room", threadId: "t1", title: "Named" })).toBe(true);
    expect(await log.rename({ to: "nowhere", threadId: null, title: "Named" })).toBe(false);
    expect(await log.find("room", "t1")).toMatchObject({ title: "Named" });
    await log.delete("room", null);
    await log.delete("room", null);
    expect((await log.list()).map((one) => one.to)).toEqual(["hall"]);
    expect([...(await log.tail(room, 10)), ...(await log.tail(thread, 10))]).toEqual([]);
    expect(await log.tail({ ...room, to: "hall" }, 10)).toHaveLength(1);
    expect(await other.list()).toHaveLength(1);
  });

  test("CH-4: conversations are listed by their last message and keep their first title", async () => {
    const { log, clock } = await openLog();
    clock.advance(10);
    await log.append(message("k", thread));
    await log.open({ to: "room", threadId: null, title: "Renamed" });
    expect((await log.list()).map((one) => one.title)).toEqual(["Thread", "Room"]);
  });
});
