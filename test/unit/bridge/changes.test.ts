import { expect, it } from "vitest";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { defineStep } from "../../../src/store/store.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group, groupKey, messageOf } from "./door.ts";

const claimAll = defineStep("claim-all", "normal", ({ db }, _: null) =>
  db.updateTable("inbox").set({ state: "claimed" }).execute(),
);

const targetOf = (sketch: EventSketch): string => identityKey(sketchEvent(sketch).identity);
const edit = (of: EventSketch, text: string, version = "1"): EventSketch => ({
  ...of,
  kind: "edit",
  version,
  text,
  target: targetOf(of),
});
const deletion = (of: EventSketch): EventSketch => ({ ...of, kind: "delete", text: "", target: targetOf(of) });

describeOnEveryStore("edits and deletions", (open) => {
  it("IN-11: an edit before the claim replaces the text, once", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "helo" });
    expect(await door.offer(edit({}, "hello"))).toMatchObject({ result: "merged", rule: "edited before its turn" });
    expect(await door.offer(edit({}, "hello"))).toMatchObject({ result: "duplicate" });
    expect(messageOf((await door.inputs())[0]).text).toBe("hello");
  });

  it("FC-080: equal text and the bot's own edits are ignored", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "see https://example.org" });
    expect(await door.offer(edit({}, "see https://example.org"))).toEqual({
      result: "ignored",
      rule: "the edit changed no text",
    });
    const own = { ...edit({}, "other", "2"), sender: { isSelf: true, isBot: true } };
    expect(await door.offer(own)).toEqual({ result: "ignored", rule: "the bot's own edit" });
    expect(messageOf((await door.inputs())[0]).text).toBe("see https://example.org");
  });

  it("IN-11: an edit that adds the mention is decided again, and the message is no context of itself", async () => {
    const door = new Door(await open(), doorConfig);
    const message = { peer: group, text: "do it" };
    expect(await door.offer(message)).toMatchObject({ result: "kept" });
    const edited = { ...edit(message, "do it please"), mentions: { bot: true } };
    expect(await door.offer(edited)).toMatchObject({ result: "accepted", sessionKey: groupKey });
    const [item] = await door.inputs();
    expect(item?.key).toBe(targetOf(message));
    expect(messageOf(item)).toMatchObject({ text: "do it please", context: [] });
    expect(await door.offer(edited)).toMatchObject({ result: "duplicate" });
    expect(await door.inputs()).toHaveLength(1);
  });

  it("IN-11: an edit of a kept message changes what is shown as context", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", peer: group, text: "asid" });
    await door.offer(edit({ messageId: "1", peer: group }, "aside"));
    await door.offer({ messageId: "2", peer: group, mentions: { bot: true } });
    expect(messageOf((await door.inputs())[0]).context).toEqual([{ senderName: "Ann", text: "aside" }]);
  });

  it("IN-11: an edit after the claim is ignored, or offered as a note with the next turn", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "one" });
    await door.test.store.step(claimAll, null);
    expect(await door.offer(edit({}, "two"))).toEqual({ result: "ignored", rule: "messages.edits is ignore" });
    door.settings = { ...door.settings, messages: { ...door.settings.messages, edits: "notify" } };
    expect(await door.offer(edit({}, "three", "2"))).toMatchObject({ result: "kept" });
    const [message, notice] = await door.inputs();
    expect(messageOf(message).text).toBe("one");
    expect(notice?.payload).toEqual({
      kind: "notice",
      text: "Ann edited an earlier message (1). It now says:\nthree",
      wakes: false,
    });
  });

  it("IN-11: a command is never run from an edit: not again, and not by one that turns into it", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", text: "/status" });
    await door.offer(edit({ messageId: "1", text: "/status" }, "/status now"));
    await door.offer({ messageId: "2", peer: group, text: "hm" });
    await door.offer({ ...edit({ messageId: "2", peer: group, text: "hm" }, "/status"), mentions: { bot: true } });
    expect(door.work.filter((work) => work.startsWith("command"))).toHaveLength(1);
    expect((await door.inputs()).map((item) => item.payload.kind)).toEqual(["command"]);
  });

  it("IN-11: a deletion before the claim withdraws the input; after it, nothing changes", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", text: "one" });
    expect(await door.offer(deletion({ messageId: "1" }))).toMatchObject({ result: "merged" });
    await door.offer({ messageId: "2", text: "two" });
    await door.test.store.step(claimAll, null);
    expect(await door.offer(deletion({ messageId: "2" }))).toMatchObject({ result: "ignored" });
    await door.offer({ messageId: "3", peer: group, text: "aside" });
    await door.offer(deletion({ messageId: "3", peer: group }));
    await door.offer({ messageId: "4", peer: group, mentions: { bot: true } });
    expect(messageOf((await door.inputs())[2]).context).toEqual([]);
  });

  it("IN-11: of a burst, one message is edited and another deleted, and the rest stands", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { inbound: { debounceMs: 2000 } } });
    for (const id of ["1", "2", "3"]) await door.offer({ messageId: id, text: `text ${id}` });
    await door.offer(edit({ messageId: "2" }, "second"));
    await door.offer(deletion({ messageId: "1" }));
    expect(messageOf((await door.inputs())[0]).text).toBe("second\ntext 3");
    await door.offer(deletion({ messageId: "2" }));
    await door.offer(deletion({ messageId: "3" }));
    expect((await door.inputs())[0]?.state).toBe("withdrawn");
  });

  it("IN-15, IN-17: reactions start nothing; what is unknown is said so", async () => {
    const door = new Door(await open(), doorConfig);
    expect(await door.offer({ kind: "reaction" })).toEqual({ result: "ignored", rule: "reactions start nothing" });
    expect(await door.offer(edit({ messageId: "99" }, "x"))).toEqual({
      result: "ignored",
      rule: "the edited message is not known",
    });
    expect(await door.events()).toHaveLength(2);
  });
});
