import { expect, it } from "vitest";
import { takeWord } from "../../../src/commands/command.ts";
import { parseMarkdown } from "../../../src/core/text/markdown.ts";
import { asTyped } from "../../../src/core/text/plain-text.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { messageOf } from "../bridge/door.ts";
import { Desk } from "./desk.ts";

const newest = async (desk: Desk) => (await desk.door.inputs()).at(-1);

describeOnEveryStore("words that are commands", (open) => {
  it("FC-211: a command alone may end like a sentence", async () => {
    const desk = new Desk(await open());
    for (const text of ["/stop.", "/stop!!", "/reset?", "/status…"]) expect(await desk.ask(text)).not.toBe("");
  });

  it("FC-211: /new with words resets, and the words are the new session's first message", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    expect(await desk.ask("/new tell me a joke")).not.toContain("no model");
    const item = await newest(desk);
    expect(messageOf(item)).toMatchObject({ text: "tell me a joke", senderId: "111", plain: false });
    expect(item).toMatchObject({ state: "waiting", route: { to: "111" }, rights: { role: "owner" } });
    expect(desk.door.work).not.toEqual([]);
  });

  it("FC-211: /new with a model and words takes both, and a model that is mistyped is asked about", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    await desk.ask("/new demo/switchyard hi there");
    expect(messageOf(await newest(desk)).text).toBe("hi there");
    const before = (await desk.door.inputs()).length;
    expect(await desk.ask("/new nowhere/gpt")).toContain("There is no model");
    expect((await desk.door.inputs()).length).toBe(before + 1);
  });

  it("FC-211: words behind a command that takes none go to the agent after it", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/status please")).not.toContain("Unexpected");
    expect(messageOf(await newest(desk)).text).toBe("please");
  });

  it("FC-211: what a person typed is shown as they typed it", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    const typed = "My *chat* _a_ `b` [c](d) ~~e~~ <f> & #g";
    expect(await desk.ask(`/name ${typed}`)).toContain(typed);
  });
});

it.each(["“my label”", "„my label“", "”my label“", "«my label»", "‘my label’", '"my label"'])(
  "FC-211: typographic quotes are quotes: %s",
  (quoted) => {
    expect(takeWord(`${quoted} go “on”`)).toEqual(["my label", "go “on”"]);
  },
);

it("FC-211: every mark a person types stays a character", () => {
  const [block] = parseMarkdown(asTyped("*a* _b_ `c` ~~d~~ ||e|| <@1> [x](y) \\ &amp;"));
  expect(JSON.stringify(block)).not.toMatch(/"(?:strong|emphasis|code|link|strike|spoiler)"/);
});
