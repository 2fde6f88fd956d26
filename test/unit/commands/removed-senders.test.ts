import { expect, it } from "vitest";
import { commandTexts } from "../../../src/core/texts/commands/frame.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, groupKey } from "../bridge/door.ts";
import { Desk, deskConfig, inGroup } from "./desk.ts";

const telegram = { botToken: "9:test-token", allowFrom: ["222"], groups: { "-100555": { allowFrom: ["222"] } } };
const withoutAnn = { ...deskConfig, channels: { telegram } };
const native = { kind: "command", command: { name: "status", args: "", interactionId: "i1" } } as const;

describeOnEveryStore("commands of people who are removed while they wait", (open) => {
  it.each([
    { name: "a typed one in a direct chat", text: "/status", sketch: {}, key: annKey, answers: [] },
    { name: "a typed one in a group", text: "/status", sketch: inGroup(), key: groupKey, answers: [] },
    { name: "one with words behind it", text: "/stop and tell me more", sketch: {}, key: annKey, answers: [] },
    {
      name: "a native one",
      text: "",
      sketch: native,
      key: annKey,
      answers: [{ text: commandTexts.notAllowed, private: true, to: "111" }],
    },
  ])("IN-18, FC-410: $name does not run", async ({ text, sketch, key, answers }) => {
    const desk = new Desk(await open());
    expect(await desk.write(text, sketch)).toBe("command");
    desk.door.settings = testSettings(withoutAnn);
    expect(await desk.answers(key)).toEqual(answers);
    const [event] = await desk.door.events();
    expect(event).toMatchObject({ result: "refused" });
    expect(event?.rule).toContain("this changed while the message waited");
    // Nothing is left for the agent, and it is not looked at again.
    expect((await desk.door.inputs()).map(({ state }) => state)).toEqual(["consumed"]);
  });

  it("IN-18, FC-410: an owner's command that waits is refused when the owner was demoted, and so is one of commands.allowFrom", async () => {
    const desk = new Desk(await open());
    await desk.write("/pairing list");
    desk.door.settings = testSettings({ ...deskConfig, commands: { ownerAllowFrom: ["telegram:222"] } });
    expect((await desk.answers()).map(({ text }) => text)).toEqual([commandTexts.onlyFor("owner", "pairing")]);
    await desk.write("/status");
    desk.door.settings = testSettings({ ...deskConfig, commands: { allowFrom: ["telegram:222"] } });
    expect((await desk.answers()).map(({ text }) => text)).toEqual([commandTexts.notAllowed]);
  });

  it("IN-18: words behind a command are not read when their sender is removed before the agent's turn", async () => {
    const desk = new Desk(await open());
    await desk.write("/stop and tell me more");
    await desk.answers();
    const words = (await desk.door.inputs()).find(({ payload }) => payload.kind === "event");
    expect(words?.payload).toMatchObject({ text: "and tell me more", admission: { sender: { id: "111" } } });
  });
});
