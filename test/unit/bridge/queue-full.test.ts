import { expect, it } from "vitest";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { queueDropped, queueShortened } from "../../../src/core/texts/store/outcomes.ts";
import { setSessionSetting } from "../../../src/store/steps/sessions/set-session-setting.ts";
import { describeOnEveryStore, type TestStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig, messageOf } from "./door.ts";

const queued = (test: TestStore, queue: object): Door =>
  new Door(test, { ...doorConfig, messages: { queue }, limits: { perSender: { perMinute: 0 } } });

async function offered(door: Door, count: number): Promise<readonly string[]> {
  for (let at = 1; at <= count; at += 1) await door.offer({ messageId: String(at), text: `word ${at}` });
  const inputs = await door.inputs();
  return inputs
    .filter((item) => item.state === "waiting" && item.payload.kind === "event")
    .map((item) => messageOf(item).messageId);
}

function numberOf({ identity }: { readonly identity: string }): number {
  return Number(identity.split("/")[3]);
}

async function told(door: Door): Promise<readonly string[]> {
  const rows = await door.deliveries();
  return rows.map((row) => JSON.parse(row.content_json).piece.plain);
}

describeOnEveryStore("a queue that is full", (open) => {
  it("TN-3: drop old leaves out the oldest, and tells the people, the agent and the operator (FC-119)", async () => {
    const door = queued(await open(), { cap: 3, drop: "old" });
    expect(await offered(door, 5)).toEqual(["3", "4", "5"]);
    expect(await told(door)).toEqual([expect.stringContaining("I discarded the oldest one")]);
    const [notice] = (await door.inputs()).flatMap(({ payload }) => (payload.kind === "notice" ? [payload.text] : []));
    expect(notice?.split("\n").slice(1)).toEqual(["- and 2 more"]);
    expect((await door.failures()).map(({ kind, message }) => [kind, message])).toEqual([
      ["limit", "messages.queue.cap is 3: dropped (drop: old)"],
      ["limit", "messages.queue.cap is 3: dropped (drop: old)"],
    ]);
    expect((await door.events())[0]).toMatchObject({
      result: "refused",
      rule: "messages.queue.cap is 3: dropped (drop: old)",
    });
  });

  it("TN-3: drop new leaves out the message that came last", async () => {
    const door = queued(await open(), { cap: 2, drop: "new" });
    expect(await offered(door, 4)).toEqual(["1", "2"]);
    expect(await told(door)).toEqual([expect.stringContaining("I discarded the newest one")]);
  });

  it("TN-3, FC-119: beyond twenty that are shortened messages are refused, and the people and the operator are told", async () => {
    const door = queued(await open(), { cap: 2 });
    expect(await offered(door, 25)).toEqual(["24", "25"]);
    const events = (await door.events()).toSorted((a, b) => numberOf(a) - numberOf(b));
    const outcomes = events.map(({ result, rule }) => `${result}: ${rule}`);
    expect(outcomes.slice(0, 20)).toEqual(Array(20).fill(`merged: ${queueShortened(2)}`));
    expect(outcomes.slice(20, 23)).toEqual(
      Array(3).fill(`refused: ${queueDropped({ cap: 2, drop: "summarize" }, 20)}`),
    );
    expect(await told(door)).toEqual([expect.stringContaining("I discarded the oldest one")]);
    expect((await door.failures()).map(({ kind }) => kind)).toEqual(["limit", "limit", "limit"]);
  });

  it("TN-3, IN-17: what was shortened is followed to the turn that reads the notice", async () => {
    const door = queued(await open(), { cap: 2 });
    await offered(door, 4);
    const inputs = await door.inputs();
    const notice = inputs.find(({ payload }) => payload.kind === "notice");
    const events = await door.events();
    expect(events.slice(0, 2).map(({ inbox_seq }) => inbox_seq)).toEqual([notice?.seq, notice?.seq]);
  });

  it.each(["old", "new"])(
    "IN-2, TN-3: with drop %s, what a full queue refused is not decided again when it comes with more facts",
    async (drop) => {
      const door = queued(await open(), { cap: 2, drop });
      await offered(door, 3);
      const refused = (await door.events()).find(({ result }) => result === "refused");
      const messageId = refused?.identity.split("/")[3] ?? "";
      const again = await door.offer({
        messageId,
        text: "word",
        mentions: { bot: true, replyToBot: false, otherOnly: false },
      });
      expect(again).toMatchObject({ result: "duplicate" });
    },
  );

  it("TN-3: what a session itself was told goes before the configuration", async () => {
    const door = queued(await open(), { cap: 20 });
    await offered(door, 1);
    const value = { cap: 2, drop: "old" } as const;
    await door.test.store.step(setSessionSetting, { key: annKey as SessionKey, setting: { name: "queue", value } });
    for (const messageId of ["7", "8", "9"]) await door.offer({ messageId });
    const inputs = await door.inputs();
    expect(inputs.filter((item) => item.state === "waiting" && item.payload.kind === "event")).toHaveLength(2);
  });
});
