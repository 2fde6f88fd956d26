import { expect, it } from "vitest";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { forgetSender } from "../../../src/store/steps/people/forget-sender.ts";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import type { EventSketch } from "../../support/inbound.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, deskConfig, inGroup } from "./desk.ts";

const cleo: EventSketch = { sender: { id: "333", name: "Cleo" }, peer: { kind: "direct", id: "333", label: null } };

function withPolicy(dmPolicy: string) {
  const { telegram } = deskConfig.channels as { telegram: object };
  return { channels: { telegram: { ...telegram, dmPolicy, allowFrom: ["111", "222"] } } };
}

describeOnEveryStore("the stored access list", (open) => {
  it("CM-14: a channel without an account is named as what is missing", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/allowlist add slack:U0ABC123")).toContain("There is no account slack/default. Accounts: ");
  });

  it("CM-14: who is added may write directly, under allowlist too, until they are removed", async () => {
    const desk = new Desk(await open(), withPolicy("allowlist"));
    expect(await desk.write("hello", cleo)).toBe("refused");
    expect(await desk.ask("/allowlist add telegram:333")).toBe(
      "telegram:333 can now send direct messages to telegram/default.",
    );
    expect(await desk.ask("/allowlist add 333")).toBe("telegram:333 is already on the list of telegram/default.");
    expect(await desk.write("hello", cleo)).toBe("accepted");
    const list = await desk.ask("/allowlist");
    expect(list).toContain("222, in the configuration");
    expect(list).toContain("333, added to the list");
    expect(await desk.ask("/allowlist remove 333")).toBe("telegram:333 was removed from the list of telegram/default.");
    expect(await desk.ask("/allowlist remove 333")).toBe("telegram:333 is not on the list of telegram/default.");
    expect(await desk.write("hello again", cleo)).toBe("refused");
  });

  it("CM-14, IN-5: a paired sender is removed by the same command, and being paired counts under pairing only", async () => {
    const desk = new Desk(await open(), withPolicy("pairing"));
    await desk.write("hello", cleo);
    const [asked] = await desk.answers("agent:main:telegram:direct:333");
    const code = /\b[2-9A-HJ-NP-Z]{8}\b/.exec(asked?.text ?? "")?.[0] ?? "";
    await desk.write(`/pairing approve ${code}`);
    expect((await desk.answers())[0]).toMatchObject({ to: "333", text: notices.welcome });
    expect(await desk.ask("/allowlist list")).toContain("333, paired");
    expect(await desk.write("in", cleo)).toBe("accepted");
    await desk.ask("/allowlist remove telegram:333");
    expect(await desk.write("out", cleo)).toBe("refused");
  });

  it("CM-14: people from the configuration are marked, and no one can remove themselves", async () => {
    const desk = new Desk(await open(), withPolicy("allowlist"));
    expect(await desk.ask("/allowlist remove 222")).toBe(
      "telegram:222 is listed in allowFrom in the configuration of telegram/default. Remove them there.",
    );
    await desk.ask("/allowlist add 222");
    expect(await desk.ask("/allowlist remove 222")).toMatch(/was removed from the list.*still have access/);
    expect(await desk.ask("/allowlist remove 111")).toBe("This is you. Another owner can remove you from the list.");
  });

  it("CM-14, IN-6, SK-9: who is put on a group's list may write in it where the configuration names who may, also under its new id", async () => {
    const test = await open();
    const { telegram } = deskConfig.channels as { telegram: object };
    const topics = { "7": { allowFrom: ["111"] } };
    const groups = {
      "-100555": { allowFrom: ["111"], requireMention: false, topics },
      "-100777": { allowFrom: ["111"] },
    };
    const desk = new Desk(test, { channels: { telegram: { ...telegram, groups } } });
    const eve = { id: "444", name: "Eve" };
    const inTopic = (id: string) => ({ ...inGroup(eve), thread: { kind: "topic", id, label: null } as const });
    const elsewhere = { ...inGroup(eve), peer: { kind: "group", id: "-100777", label: "Other" } as const };
    expect(await desk.write("hello", inGroup(eve))).toBe("refused");
    expect(await desk.ask("/allowlist add 444 here")).toMatch(/^This is not a group/);
    const inTeam = inGroup({ id: "111", name: "Ann" });
    expect(await desk.ask("/allowlist add 444 here", inTeam, groupKey)).toMatch(
      /^telegram:444 can now message me here/,
    );
    expect(await desk.ask("/allowlist add 444 here", inTeam, groupKey)).toMatch(/already on this group/);
    expect(await desk.write("hello", inGroup(eve))).toBe("accepted");
    expect(await desk.write("in a topic without people of its own", inTopic("3"))).toBe("accepted");
    expect(await desk.write("in a topic with people of its own", inTopic("7"))).toBe("refused");
    expect(await desk.write("hello", elsewhere)).toBe("refused");
    expect(await desk.ask("/allowlist")).toContain("444, added to the list of group -100555");
    const direct = { sender: eve, peer: { kind: "direct", id: "444", label: null } as const };
    expect(await desk.write("hello", direct)).toBe("refused");
    const moved = { channel: "telegram", accountId: "default", from: "-100555", to: "-100999" };
    await test.store.step(migrateConversation, moved);
    const now = { ...inGroup(eve), peer: { kind: "group", id: "-100999", label: "Team" } as const };
    expect(await desk.write("still here", now)).toBe("accepted");
    await test.store.step(forgetSender, { channel: "telegram", senderId: "444" });
    expect(await desk.write("once more", now)).toBe("refused");
  });

  it("CM-14: a person removed from a group's list is refused there again, and no one can remove themselves", async () => {
    const { telegram } = deskConfig.channels as { telegram: object };
    const groups = { "-100555": { allowFrom: ["111"], requireMention: false } };
    const desk = new Desk(await open(), { channels: { telegram: { ...telegram, groups } } });
    const inTeam = inGroup({ id: "111", name: "Ann" });
    await desk.ask("/allowlist add 222 here", inTeam, groupKey);
    expect(await desk.write("hello", inGroup(bob))).toBe("accepted");
    expect(await desk.ask("/allowlist remove 222 here", inTeam, groupKey)).toMatch(
      /was removed from this group's list\.$/,
    );
    expect(await desk.ask("/allowlist remove 222 here", inTeam, groupKey)).toMatch(/is not on this group's list\.$/);
    expect(await desk.ask("/allowlist remove 111 here", inTeam, groupKey)).toMatch(/^This is you/);
    expect(await desk.write("hello again", inGroup(bob))).toBe("refused");
  });

  it("CM-14: arguments that cannot be meant are refused exactly, and only owners are heard", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/allowlist add")).toBe("Missing: who. Usage: /allowlist add <who> [account|here]");
    expect(await desk.ask("/allowlist ban 1")).toBe("action must be one of: list, add, remove.");
    expect(await desk.ask("/allowlist add Bob")).toMatch(
      /^"Bob" is not a valid user id on telegram\. A valid id looks like 111/,
    );
    expect(await desk.ask("/allowlist add telegram:5 second")).toMatch(
      /^There is no account telegram\/second\. Accounts: .*telegram\/default/,
    );
    expect(await desk.ask("/allowlist add web:5")).toBe(
      "web has no list of people. Anyone who can open it has full operator rights.",
    );
    expect(
      await desk.ask("/allowlist", { sender: bob, peer: { kind: "direct", id: "222", label: null } }, bobKey),
    ).toBe("Only owners can use /allowlist.");
  });
});
