import fc from "fast-check";
import { expect, it } from "vitest";
import { createIntake } from "../../../src/channel/intake.ts";
import { conversationKey, placeOfKey } from "../../../src/core/delivery/delivery.ts";
import { encodeId } from "../../../src/core/ids.ts";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { silentLog } from "../../support/test-store.ts";

const id = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  maxLength: 12,
});

it("IN-2, FC-405: every text of a platform makes a key, different ones different keys, and no part reaches into the next", () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      expect(encodeId(one)).not.toContain("/");
      expect(encodeId(one) === encodeId(other)).toBe(one.toWellFormed() === other.toWellFormed());
      const identity = {
        channel: "slack",
        botId: one,
        conversation: other,
        messageId: one,
        kind: "message",
        version: other,
      } as const;
      expect(identityKey(identity).split("/")).toHaveLength(6);
      const route = { channel: "slack", accountId: "default", to: one, threadId: other === "" ? null : other };
      expect(placeOfKey(conversationKey(route))).toMatchObject({ to: one.toWellFormed() });
    }),
  );
});

it.each(["\ud800", "a\udc00b", "%", "/", "\u0000", ""])(
  "IN-3, FC-405: an event with the id %j that cannot be read is parked",
  async (odd) => {
    const parked: string[] = [];
    const intake = createIntake({
      channel: "slack",
      botId: "B",
      host: { park: async ({ identity }) => void parked.push(identity), log: silentLog },
      health: { unstored: () => undefined },
      signal: new AbortController().signal,
    });
    const taken = intake.take({
      id: odd,
      raw: undefined,
      store: () => Promise.reject(new TypeError("odd")),
      identity: async () => null,
    });
    expect(await taken).toBeNull();
    expect(parked).toEqual([`slack/B/event/${encodeId(odd)}`]);
  },
);

it("IN-3, FC-405: what cannot be written down is parked all the same", async () => {
  let deep: unknown = null;
  for (let at = 0; at < 200_000; at += 1) deep = [deep];
  const around: { self?: unknown } = {};
  around.self = around;
  for (const raw of [deep, around, 1n, undefined]) {
    const parked: string[] = [];
    const intake = createIntake({
      channel: "slack",
      botId: "B",
      host: { park: async (event) => void parked.push(event.raw), log: silentLog },
      health: { unstored: () => undefined },
      signal: new AbortController().signal,
    });
    const store = () => Promise.reject(new TypeError("odd"));
    expect(await intake.take({ id: "1", raw, store, identity: async () => null })).toBeNull();
    expect(parked).toHaveLength(1);
  }
});
