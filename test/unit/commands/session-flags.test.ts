import { expect, it } from "vitest";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, inGroup } from "./desk.ts";

const bobHere = { sender: bob, peer: { kind: "direct", id: "222", label: null } } as const;

describeOnEveryStore("flags of a session", (open) => {
  it("CM-11: /pin pins, takes the pin off, and says when there is nothing to do", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/pin")).toBe("This session is pinned.");
    expect((await desk.session()).pinned).toBe(true);
    expect(await desk.ask("/pin on")).toBe("This session is already pinned.");
    expect(await desk.ask("/pin off")).toBe("This session is no longer pinned.");
    expect((await desk.session()).pinned).toBe(false);
    expect(await desk.ask("/pin off")).toBe("This session is not pinned.");
    expect(await desk.ask("/pin maybe")).toBe("switch must be one of: on, off.");
  });

  it("CM-11, FC-339: /pin alone pins and unpins in turn", async () => {
    const desk = new Desk(await open());
    for (const pinned of [true, false, true]) {
      await desk.ask("/pin");
      expect((await desk.session()).pinned).toBe(pinned);
    }
  });

  it("CM-11: an archived session stays so over commands and comes back with the next message or /unarchive", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/archive")).toMatch(/^This session is archived\./);
    const { archivedAt } = await desk.session();
    expect(archivedAt).not.toBeNull();
    expect(await desk.ask("/archive")).toBe("This session is already archived.");
    expect(await desk.ask("/status")).toContain(", archived");
    await desk.write("hello again");
    expect((await desk.session()).archivedAt).toBeNull();
    await desk.ask("/archive");
    expect(await desk.ask("/unarchive")).toBe("This session is restored from the archive.");
    expect(await desk.ask("/unarchive")).toBe("This session is not archived.");
  });

  it("CM-5, CM-6: who is no admin is told so, and in a group nothing", async () => {
    const desk = new Desk(await open());
    for (const command of ["/pin", "/archive", "/unarchive", "/sessions", "/activation"]) {
      expect(await desk.ask(command, bobHere, bobKey)).toBe(`Only admins can use ${command}.`);
      await desk.write(command, inGroup(bob));
      expect(await desk.answers(groupKey)).toEqual([]);
    }
  });

  it("CM-6: /sessions names all sessions to an admin alone, finds by search, and in a group only those of the conversation", async () => {
    const desk = new Desk(await open());
    await desk.write("hello", bobHere);
    await desk.ask("/name Front desk");
    const all = await desk.ask("/sessions");
    expect(all).toContain("Front desk agent:main:telegram:direct:111: idle, here");
    expect(all).toContain(`${bobKey}: queued`);
    expect(await desk.ask("/sessions front")).not.toContain(bobKey);
    expect(await desk.ask("/sessions 50%")).toBe('No session matches "50%".');
    const here = await desk.ask("/sessions", inGroup(), groupKey);
    expect(here).toContain(groupKey);
    expect(here).not.toContain(bobKey);
  });

  it("CM-10: /verbose and /usage belong to the session; anyone can show and set them", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/verbose", bobHere, bobKey)).toBe("Tool calls are hidden.");
    expect(await desk.ask("/verbose on", bobHere, bobKey)).toBe("Tool calls are shown from the next reply on.");
    expect(await desk.session(bobKey)).toMatchObject({ verbose: true, usageLine: "off" });
    expect(await desk.ask("/usage full", bobHere, bobKey)).toMatch(/cost \(if prices are configured\)/);
    expect(await desk.session(bobKey)).toMatchObject({ verbose: true, usageLine: "full" });
    expect(await desk.ask("/usage all", bobHere, bobKey)).toBe("line must be one of: off, tokens, full.");
    expect(await desk.ask("/verbose")).toBe("Tool calls are hidden.");
  });
});

describeOnEveryStore("activation of a group", (open) => {
  it("CM-13: /activation always answers every message in the group until it is taken back", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/activation", inGroup(), groupKey)).toMatch(/^Nothing is set here/);
    expect(await desk.write("hello", inGroup(bob))).toBe("kept");
    expect(await desk.ask("/activation always", inGroup(), groupKey)).toBe(
      "I reply to every message that is not for someone else (set here).",
    );
    expect(await desk.write("hello", inGroup(bob))).toBe("accepted");
    expect(await desk.write("hi Cleo", { ...inGroup(bob), mentions: { otherOnly: true } })).toBe("kept");
    expect(await desk.ask("/activation mention", inGroup(), groupKey)).toMatch(/when I am mentioned \(set here\)\.$/);
    expect(await desk.write("hello", inGroup(bob))).toBe("kept");
    expect(await desk.ask("/activation default", inGroup(), groupKey)).toMatch(/^Nothing is set here/);
    expect(await desk.ask("/activation sometimes", inGroup(), groupKey)).toBe(
      "mode must be one of: mention, always, default.",
    );
    expect(await desk.ask("/activation always")).toBe("In a direct message I always reply.");
  });

  it("CM-13: a topic has its own, and goes by its group's while it has none", async () => {
    // An answer of the bot in a topic would itself let messages there go unaddressed.
    const desk = new Desk(await open(), { messages: { implicitMentions: { threadParticipation: false } } });
    const topic = (sender?: { readonly id: string; readonly name: string }) => ({
      ...inGroup(sender),
      thread: { kind: "topic", id: "7", label: null } as const,
      route: { channel: "telegram", accountId: "default", to: "-100555", threadId: "7" },
    });
    const topicKey = `${groupKey}:topic:7`;
    await desk.ask("/activation always", inGroup(), groupKey);
    expect(await desk.write("hello", topic(bob))).toBe("accepted");
    expect(await desk.ask("/activation", topic(), topicKey)).toContain("set for the group or channel");
    await desk.ask("/activation mention", topic(), topicKey);
    expect(await desk.write("hello", topic(bob))).toBe("kept");
    expect(await desk.write("hello", inGroup(bob))).toBe("accepted");
  });

  it("CM-13, SK-9: it moves with the group", async () => {
    const desk = new Desk(await open());
    await desk.ask("/activation always", inGroup(), groupKey);
    const move = { channel: "telegram", accountId: "default", from: "-100555", to: "-1009" };
    await desk.test.store.step(migrateConversation, move);
    const moved = { ...inGroup(bob), peer: { kind: "group", id: "-1009", label: null } } as const;
    const route = { channel: "telegram", accountId: "default", to: "-1009", threadId: null };
    expect(await desk.write("hello", { ...moved, route })).toBe("accepted");
    // A late event still carries the old id.
    expect(await desk.write("late", inGroup(bob))).toBe("accepted");
  });
});
