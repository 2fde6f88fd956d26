import { expect, it } from "vitest";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { parseSearchQuery } from "../../../src/core/text/search-query.ts";
import { insertInput } from "../../../src/store/parts/inputs.ts";
import { searchHits } from "../../../src/store/reads/sessions/search.ts";
import { allowSender } from "../../../src/store/steps/people/allow-sender.ts";
import { forgetMessages, forgetSender } from "../../../src/store/steps/people/forget-sender.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { seedRefusal } from "../../support/store-seeds.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { assistant, key, ToolScene, user } from "../tools/tool-scene.ts";

const GROUP = "agent:main:telegram:group:-5";
const sender = (id: string, channel = "telegram") => ({ channel, accountId: "default", id });
const said = (text: string, id: string, channel?: string): NewMessage =>
  user(text, {
    kind: "human",
    sender: sender(id, channel),
    senderName: `${channel ?? "telegram"} ${id}`,
    messageId: "1",
  });

const wait = defineStep("test-wait", "normal", async (context, id: string) => {
  await insertInput(context, {
    key: `waits-${id}`,
    sessionKey: key(GROUP),
    payload: {
      kind: "event",
      ...{
        text: "heron",
        senderName: `telegram ${id}`,
        senderId: id,
        messageId: "2",
        conversationLabel: null,
        sentAt: 0,
      },
      ...{ reply: null, attachments: [], attachmentNotes: [], context: [], plain: false },
      directives: { thinking: null },
    },
    provenance: { kind: "human", sender: sender(id), senderName: `telegram ${id}`, messageId: "2" },
    route: null,
    rights: { role: "user", sender: sender(id), group: null },
    cause: null,
  });
});
const everything = defineRead("test-everything", async (db, _: null) => {
  const tables = ["messages", "inbox", "inbound_events", "paired_senders", "compactions"] as const;
  const rows = await Promise.all(
    tables.map(async (table) => [table, await db.selectFrom(table).selectAll().execute()]),
  );
  return new Map(rows as [string, object[]][]);
});
const summarise = defineStep("test-summary", "normal", async ({ db, now }, sessionId: string) => {
  const made = { upto_seq: 1, measured_seq: 1, cause: "c", created_at: now };
  await db
    .insertInto("compactions")
    .values({ session_id: sessionId, kind: "summary", summary: "telegram 111 saw a heron", ...made })
    .execute();
});

describeOnEveryStore("forgetting a person", (open) => {
  it("OP-10: what one person wrote and how they were let in is gone, in every session; others' words stay", async () => {
    const scene = new ToolScene(await open());
    const { store } = scene;
    const { sessionId } = await scene.session(GROUP);
    await scene.write(GROUP, [
      said("heron one", "111"),
      assistant("A heron?"),
      said("heron two", "333"),
      said("heron three", "111", "slack"),
      said("heron four", "1112"),
    ]);
    await store.step(summarise, sessionId);
    for (const id of ["111", "333"]) {
      await store.step(allowSender, { channel: "telegram", accountId: "default", senderId: id });
      await store.step(wait, id);
    }
    await store.step(seedRefusal, "https://t.example/1");
    const person = { channel: "telegram", senderId: "111" };
    const found = async () => {
      const hits = { terms: parseSearchQuery("heron"), places: null, limit: 50 };
      return (await store.read(searchHits, hits)).length;
    };
    expect(await found()).toBe(5);
    expect(await store.step(forgetSender, person)).toEqual({ access: 1, inputs: 1, events: 1 });
    const first = await store.step(forgetMessages, { ...person, afterSeq: 0, limit: 3 });
    expect(first).toMatchObject({ messages: 1, next: expect.any(Number) });
    const second = await store.step(forgetMessages, { ...person, afterSeq: first.next ?? 0, limit: 3 });
    expect(second.messages).toBe(0);
    const end = { ...person, afterSeq: second.next ?? 0, limit: 3 };
    expect(await store.step(forgetMessages, end)).toEqual({ messages: 0, next: null });
    expect(await found()).toBe(4);
    const left = await store.read(everything, null);
    const text = JSON.stringify([...left]);
    expect(text).not.toContain("heron one");
    expect(text).not.toMatch(/telegram 111\b/);
    expect(text).toContain("(This message was removed.)");
    for (const kept of ["A heron?", "heron two", "heron three", "heron four"]) expect(text).toContain(kept);
    const sizes = [...left].map(([table, rows]) => `${table} ${rows.length}`);
    expect(sizes).toEqual(["messages 5", "inbox 1", "inbound_events 1", "paired_senders 1", "compactions 1"]);
  });

  it("OP-10, IN-17: the reason an event was refused for names the person no more", async () => {
    const { store } = new ToolScene(await open());
    const refused = defineStep("test-refused", "normal", async ({ db }, rule: string) => {
      await db.updateTable("inbound_events").set({ rule }).execute();
    });
    await store.step(seedRefusal, "https://t.example/1");
    await store.step(refused, "channels.telegram.groups.-1112.allowFrom does not list 111; 1111 is another");
    await store.step(forgetSender, { channel: "telegram", senderId: "111" });
    const [event] = (await store.read(everything, null)).get("inbound_events") ?? [];
    expect(event).toMatchObject({
      rule: "channels.telegram.groups.-1112.allowFrom does not list forgotten; 1111 is another",
      sender_id: "forgotten",
    });
  });
});
