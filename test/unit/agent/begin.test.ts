import { expect, it } from "vitest";
import { createBegin } from "../../../src/agent/turn/begin.ts";
import { StoreError } from "../../../src/core/errors.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { INPUT_PARKED } from "../../../src/core/texts/chat/completion-text.ts";
import type { ToMessage } from "../../../src/store/parts/transcript.ts";
import { deliveryFromRow } from "../../../src/store/rows.ts";
import { defineRead } from "../../../src/store/store.ts";
import { asStored } from "../../support/present-access.ts";
import { describeOnEveryStore, silentLog, type TestStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig } from "../bridge/door.ts";

const sessionKey = annKey as SessionKey;
const told = defineRead("test-told", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().execute()).map(deliveryFromRow),
);
const failures = defineRead("test-failures", (db, _: null) => db.selectFrom("failures").selectAll().execute());

/** As a mapping that meets something it does not know. */
const toMessage: ToMessage = (item) => {
  if (item.payload.kind === "event" && item.payload.text === "poison") throw new TypeError("unknown origin");
  const text = item.payload.kind === "event" ? item.payload.text : item.key;
  return { role: "user", parts: [{ type: "text", text }], provenance: item.provenance, usage: null };
};

describeOnEveryStore("a turn that cannot begin", (open) => {
  async function prepare(test: TestStore) {
    const door = new Door(test, doorConfig);
    const begin = createBegin({ store: test.store, log: silentLog });
    const input = () => ({
      sessionKey,
      turnId: crypto.randomUUID(),
      policy: () => ({ mode: () => "followup" as const, signature: () => "", presentAccess: asStored, quietMs: 500 }),
      toMessage,
      chains: door.settings.session.chains,
    });
    return { door, begin: () => begin(input()), store: test.store };
  }

  it("TN-20, FC-405: an input that stops three turns from beginning is set aside and said, and later ones go on", async () => {
    const { door, begin, store } = await prepare(await open());
    await door.offer({ messageId: "1", text: "poison" });
    await door.offer({ messageId: "2", text: "hello" });
    await expect(begin()).rejects.toThrow("unknown origin");
    await expect(begin()).rejects.toThrow("unknown origin");
    expect(await begin()).toBeNull();
    const begun = await begin();
    expect(begun?.result).toBe("begun");
    const [poison, hello] = await door.inputs();
    expect([poison?.state, hello?.state]).toEqual(["withdrawn", "claimed"]);
    const lines = (await store.read(told, null)).map(({ content }) => content);
    expect(lines).toMatchObject([{ kind: "message", piece: INPUT_PARKED, replyTo: "1" }]);
    expect(await store.read(failures, null)).toMatchObject([{ kind: "inbound", session_key: sessionKey }]);
    expect((await door.events()).map(({ result }) => result)).toContain("parked");
  });

  it("TN-20: store trouble parks nothing, however often it comes", async () => {
    const { door, store } = await prepare(await open());
    await door.offer({ messageId: "1", text: "poison" });
    const trouble = new StoreError("store_busy", "busy", { retryable: true });
    const begin = createBegin({ store: { step: () => Promise.reject(trouble) }, log: silentLog });
    const input = { sessionKey, turnId: "t", toMessage, chains: door.settings.session.chains };
    const policy = () => ({
      mode: () => "followup" as const,
      signature: () => "",
      presentAccess: asStored,
      quietMs: 500,
    });
    for (let tries = 0; tries < 5; tries += 1) await expect(begin({ ...input, policy })).rejects.toBe(trouble);
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["waiting"]);
    expect(await store.read(told, null)).toEqual([]);
  });
});
