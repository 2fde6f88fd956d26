import { expect, it } from "vitest";
import type { TurnId } from "../../../src/core/ids.ts";
import { claimInputs } from "../../../src/store/parts/transcript.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { forgetMessages, forgetSender } from "../../../src/store/steps/people/forget-sender.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey } from "../bridge/door.ts";
import { Desk } from "../commands/desk.ts";

const stored = defineRead("test-stored", async (db, _: null) => {
  const rows = [
    ...(await db.selectFrom("inbox").selectAll().execute()),
    ...(await db.selectFrom("messages").selectAll().execute()),
  ];
  return JSON.stringify(rows);
});

const ann = { channel: "telegram", senderId: "111" };

describeOnEveryStore("forgetting a person whose messages left a full queue", (open) => {
  it("OP-10, TN-3: how their messages began is gone from the notice that waits", async () => {
    const desk = new Desk(await open(), { messages: { queue: { cap: 1, drop: "summarize" } } });
    await desk.write("heron one");
    await desk.write("heron two");
    await desk.write("heron three");
    const { store } = desk.test;
    expect(await store.read(stored, null)).toContain("heron one");
    await store.step(forgetSender, ann);
    expect(await store.read(stored, null)).not.toContain("heron");
  });

  it("OP-10, TN-3: how their messages began is gone from the notice a turn has read", async () => {
    const desk = new Desk(await open(), { messages: { queue: { cap: 1, drop: "summarize" } } });
    await desk.write("heron one");
    await desk.write("heron two");
    const session = await desk.session(annKey);
    const { store } = desk.test;
    const take = defineStep("test-take", "normal", async (context, _: null) => {
      const rows = await context.db.selectFrom("inbox").selectAll().where("state", "=", "waiting").execute();
      await claimInputs(context, {
        turn: { id: "turn-1" as TurnId },
        session,
        items: rows.map(inboxItemFromRow),
        toMessage: ({ payload, provenance }) => ({
          role: "user",
          parts: [{ type: "text", text: "text" in payload ? payload.text : "" }],
          provenance,
          usage: null,
        }),
      });
    });
    await store.step(take, null);
    await store.step(forgetSender, ann);
    await store.step(forgetMessages, { ...ann, afterSeq: 0, limit: 10 });
    expect(await store.read(stored, null)).not.toContain("heron");
  });
});
