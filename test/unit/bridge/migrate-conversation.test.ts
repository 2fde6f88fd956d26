import { expect, it } from "vitest";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { blankRow, insertDeliveries } from "../../../src/store/parts/outbox.ts";
import { nextDelivery } from "../../../src/store/reads/delivery/deliveries.ts";
import { resolveAlias } from "../../../src/store/reads/inbound/inbox.ts";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import { defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group, groupKey, messageOf } from "./door.ts";

const move = { channel: "telegram", accountId: "default", from: "-100555", to: "-1009" };
const newKey = "agent:main:telegram:group:-1009";
const moved = { ...group, id: "-1009" };

const send = defineStep("send", "normal", (context, to: string) =>
  insertDeliveries(context, {
    deliveries: [
      {
        key: "d1",
        route: { channel: "telegram", accountId: "default", to, threadId: null },
        content: { kind: "message", piece: { rich: "x", plain: "x" }, replyTo: null, private: false },
      },
    ],
    sessionKey: null,
    turnId: null,
    runId: null,
  }),
);

/** The row of a preview that the platform shows already. */
const showPreview = defineStep("show-preview", "normal", async ({ db, now }, to: string) => {
  const route = { channel: "telegram", accountId: "default", to, threadId: null };
  const content = { kind: "message", piece: { rich: "so", plain: "so" }, replyTo: null, private: false };
  const place = { conversation: `telegram/default/${to}/`, channel: "telegram", account_id: "default" };
  const texts = { route_json: JSON.stringify(route), content_json: JSON.stringify(content) };
  const shown = { state: "sent", preview: 1, message_ids_json: '["7"]', settled_at: now };
  await db
    .insertInto("deliveries")
    .values({
      ...blankRow(now),
      ...shown,
      ...place,
      ...texts,
      key: "d1",
      session_key: null,
      turn_id: "t",
      run_id: null,
    })
    .execute();
});

describeOnEveryStore("a conversation that moves", (open) => {
  it("FC-055: sessions, waiting inputs, routes and deliveries go to the new id, and the old key goes on resolving", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", peer: group, text: "one", mentions: { bot: true } });
    await door.test.store.step(send, group.id);
    expect(await door.test.store.step(migrateConversation, move)).toEqual([newKey]);
    expect(await door.test.store.step(migrateConversation, move)).toEqual([]);
    const [session] = await door.sessions();
    expect(session).toMatchObject({ key: newKey, lastRoute: { to: "-1009" }, originRoute: { to: "-1009" } });
    const [item] = await door.inputs();
    expect(item).toMatchObject({ sessionKey: newKey, route: { to: "-1009" }, rights: { group: { id: "-1009" } } });
    expect((await door.deliveries())[0]).toMatchObject({ conversation: "telegram/default/-1009/" });
    expect(await door.test.store.read(resolveAlias, groupKey as SessionKey)).toBe(newKey);
  });

  it("SK-9, TN-11: a preview that was shown before the move gives its answer to the new id, as a new message", async () => {
    const { store } = await open();
    await store.step(showPreview, group.id);
    await store.step(migrateConversation, move);
    await store.step(send, "-1009");
    const next = await store.read(nextDelivery, "telegram/default/-1009/");
    expect(next).toMatchObject({ delivery: { route: { to: "-1009" }, messageIds: [], state: "pending" } });
  });

  it("SK-9: what was decided from the old id after the move follows when its refused send names the new id again", async () => {
    const { store } = await open();
    await store.step(migrateConversation, move);
    await store.step(send, group.id);
    await store.step(migrateConversation, move);
    expect(await store.read(nextDelivery, "telegram/default/-1009/")).toMatchObject({ delivery: { key: "d1" } });
    expect(await store.read(nextDelivery, "telegram/default/-100555/")).toBeNull();
  });

  it("SK-9: the allowlist entry of the old id lets the new one in, and a late event of the old id goes to the new one", async () => {
    const door = new Door(await open(), doorConfig);
    expect(await door.offer({ peer: moved, mentions: { bot: true } })).toMatchObject({ result: "refused" });
    await door.test.store.step(migrateConversation, move);
    const after = await door.offer({ messageId: "2", peer: moved, mentions: { bot: true } });
    expect(after).toMatchObject({ result: "accepted", sessionKey: newKey });
    const late = await door.offer({ messageId: "3", peer: group, mentions: { bot: true } });
    expect(late).toMatchObject({ result: "accepted", sessionKey: newKey });
    expect((await door.inputs()).map((item) => item.route?.to)).toEqual(["-1009", "-1009"]);
  });

  it("SK-9: when the new id was written in first, there is one session with the memory of the old one", async () => {
    const config = { channels: { telegram: { botToken: "9:test-token", groups: { "*": {} } } } };
    const door = new Door(await open(), config);
    await door.offer({ messageId: "1", peer: group, text: "old", mentions: { bot: true } });
    const [before] = await door.sessions();
    await door.offer({ messageId: "2", peer: moved, text: "new", mentions: { bot: true } });
    await door.test.store.step(migrateConversation, move);
    const sessions = await door.sessions();
    expect(sessions.map((session) => [session.key, session.sessionId])).toEqual([[newKey, before?.sessionId]]);
    expect((await door.inputs()).map((item) => [item.sessionKey, messageOf(item).text])).toEqual([
      [newKey, "old"],
      [newKey, "new"],
    ]);
  });

  it("SK-9: kept context of the group is shown with the next addressed message under the new id", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", peer: group, text: "aside" });
    await door.test.store.step(migrateConversation, move);
    await door.offer({ messageId: "2", peer: moved, mentions: { bot: true } });
    expect(messageOf((await door.inputs())[0]).context).toEqual([{ senderName: "Ann", text: "aside" }]);
  });
});
