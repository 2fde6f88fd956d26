import { expect, it } from "vitest";
import { failureDeliveries } from "../../../src/agent/turn/failure.ts";
import { PLAIN_RENDERER } from "../../../src/delivery/pacing.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group } from "../bridge/door.ts";

describeOnEveryStore("notices of failed turns", (open) => {
  it("TN-16, FC-334: a second failure at once is silence for the same person only", async () => {
    const door = new Door(await open(), doorConfig);
    for (const [messageId, id] of [
      ["1", "111"],
      ["2", "111"],
      ["3", "222"],
    ] as const) {
      await door.offer({ messageId, peer: group, sender: { id }, mentions: { bot: true } });
    }
    const items = await door.inputs();
    const route = { channel: "telegram", accountId: "default", to: group.id, threadId: null };
    const place = { route, renderer: PLAIN_RENDERER, replyTo: null, now: 30_000, day: 0 };
    const keys = items.map((item) => failureDeliveries("model", [item], place).map(({ key }) => key));
    expect(keys.map((own) => own.length)).toEqual([1, 1, 1]);
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).not.toEqual(keys[0]);
    const limit = items.map((item) => failureDeliveries("daily_limit", [item], place)[0]?.key);
    expect(new Set(limit).size).toBe(1);
  });
});
