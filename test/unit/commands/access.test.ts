import { expect, it } from "vitest";
import { z } from "zod";
import { defineCommand } from "../../../src/commands/command.ts";
import { helpCommand } from "../../../src/commands/help.ts";
import { COMMANDS, nativeCommands } from "../../../src/commands/registry.ts";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { seedPairing } from "../../support/store-seeds.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, inGroup } from "./desk.ts";

const bobDirect = { sender: bob, peer: { kind: "direct", id: "222", label: null } } as const;

describeOnEveryStore("who may use commands, and how", (open) => {
  it("CM-5, FC-087: the same person is judged alike however the command is given; only the answer's form differs", async () => {
    const desk = new Desk(await open());
    const refusal = "Only owners can use /pairing.";
    await desk.write("/pairing list", bobDirect);
    expect(await desk.answers(bobKey)).toEqual([{ text: refusal, private: true, to: "222" }]);
    await desk.write("", { ...inGroup(bob), kind: "command", command: { name: "pairing", args: "list" } });
    expect(await desk.answers(groupKey)).toEqual([{ text: refusal, private: true, to: "-100555" }]);
    await desk.write("/pairing list", inGroup(bob));
    expect(await desk.answers(groupKey)).toEqual([]);
    expect(await desk.ask("/pairing list")).toBe("No pending requests or paired users");
  });

  it("CM-8: commands.allowFrom is the only source of who may use commands; an empty list leaves owners", async () => {
    const desk = new Desk(await open(), { commands: { ownerAllowFrom: ["telegram:111"], allowFrom: [] } });
    await desk.write("/status", bobDirect);
    expect(await desk.answers(bobKey)).toEqual([
      { text: "You cannot use commands here (see commands.allowFrom).", private: true, to: "222" },
    ]);
    await desk.write("/status", inGroup(bob));
    expect(await desk.answers(groupKey)).toEqual([]);
    expect(await desk.ask("/status")).toContain(annKey);
  });

  it("CM-2: /x@botname, !x and a menu's name with _ are the command; /x@otherbot is not", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/whoami@switchyard_bot", inGroup(), groupKey)).toContain("telegram:111");
    expect(await desk.ask("!whoami")).toContain("telegram:111");
    expect(await desk.ask("/WhoAmI")).toContain("telegram:111");
    expect(await desk.write("/whoami@other_bot", { ...inGroup(), mentions: { otherOnly: true } })).not.toBe("command");
  });

  it("CM-5: an unknown text command goes to the agent as plain text", async () => {
    const desk = new Desk(await open());
    expect(await desk.write("/dance for me")).toBe("accepted");
    const [input] = await desk.door.inputs();
    expect(input?.payload).toMatchObject({ kind: "event", text: "/dance for me" });
  });

  it("CM-8: a quoted, forwarded or edited text is never a command", async () => {
    const desk = new Desk(await open());
    expect(await desk.write("/new", { forwarded: true })).toBe("accepted");
    const replyTo = { messageId: "9", senderName: "Bob", text: "/new", fromBot: false };
    // It is the comment to the forward (FC-209).
    expect(await desk.write("what is that?", { replyTo })).toBe("merged");
  });

  it("FC-040, FC-061: a command in a group acts on the group's session and is answered there", async () => {
    const desk = new Desk(await open());
    await desk.write("hello");
    await desk.write("hello", { ...inGroup(), mentions: { bot: true } });
    const mine = (await desk.session()).sessionId;
    const groups = (await desk.session(groupKey)).sessionId;
    await desk.write("/new", inGroup());
    expect(await desk.answers(groupKey)).toEqual([{ text: "Started a fresh session.", private: false, to: "-100555" }]);
    expect((await desk.session()).sessionId).toBe(mine);
    expect((await desk.session(groupKey)).sessionId).not.toBe(groups);
  });

  it("IN-7: in a direct chat a bare word is a word; behind a mention in a group it is the command", async () => {
    const desk = new Desk(await open());
    expect(await desk.write("new", { mentions: { bot: true } })).toBe("accepted");
    expect(await desk.write("status", { ...inGroup(), mentions: { bot: true } })).toBe("command");
  });

  it("IN-5: /pairing lists, approves by code alone or after its channel, and denies", async () => {
    const desk = new Desk(await open());
    await desk.test.store.step(seedPairing, "ABCD2345");
    const list = await desk.ask("/pairing");
    expect(list).toContain("ABCD2345");
    expect(list).toContain("telegram:222");
    expect(await desk.ask("/pairing approve ZZZZ9999")).toContain(
      "No pending request has that code. Pending: ABCD2345.",
    );
    await desk.write("/pairing approve telegram abcd-2345 owner");
    expect((await desk.answers()).map(({ text, to }) => [to, text])).toEqual([
      ["222", notices.welcome],
      ["111", '"Bob" can now send direct messages to telegram/default and is an owner.'],
    ]);
    expect(await desk.ask("/pairing list")).toContain("telegram:222 on telegram/default, owner");
    await desk.test.store.step(seedPairing, "EFGH2345");
    expect(await desk.ask("/pairing deny EFGH2345")).toBe('"Bob" was denied. They can ask again.');
    expect(await desk.ask("/pairing deny EFGH2345")).toContain("No pending requests.");
  });

  it("IN-17, CM-8: /why shows what happened to a message and why, also for a link with a query", async () => {
    const desk = new Desk(await open());
    const link = "https://t.me/c/1/2";
    await desk.write("hi all", { ...inGroup(bob), link });
    for (const asked of [link, `<${link}>`, `${link}?single`]) {
      const told = await desk.ask(`/why ${asked}`);
      expect(told).toContain("not addressed to the bot; the agent sees it with the next message that is");
      expect(told).toContain("nothing addresses the bot");
    }
    expect(await desk.ask("/why https://t.me/c/9/9")).toContain("There is no record of this message.");
  });

  it("CM-9: a failing command shows no path, token or stack", async () => {
    const broken = defineCommand({
      name: "status",
      group: "session",
      summary: "Breaks",
      arguments: [],
      input: z.object({}),
      role: "user",
      execute: () => Promise.reject(new Error("ENOENT /home/x/9:test-token")),
    });
    const leaky = defineCommand({
      ...broken,
      name: "whoami",
      execute: async () => ({ text: "the token is 9:test-token" }),
    });
    const desk = new Desk(await open(), {}, { commands: [broken, leaky] });
    expect(await desk.ask("/status")).toBe("/status failed. The log has the details.");
    expect(await desk.ask("/whoami")).not.toContain("test-token");
  });

  it("CM-1: help shows each person the commands of their rights, and how one is used", async () => {
    const desk = new Desk(await open());
    await desk.write("/help");
    const mine = (await desk.answers()).map((piece) => piece.text).join("\n");
    for (const { name } of COMMANDS) expect(mine).toContain(`/${name}`);
    const his = await desk.ask("/help", bobDirect, bobKey);
    expect(his).not.toContain("/pairing");
    expect(await desk.ask("/help steer")).toContain("Usage: /steer <target> <text>");
    expect(await desk.ask("/help /tell")).toContain("Also: /tell");
  });
});

it("CM-1, FC-056, FC-058, FC-059: every command fits every platform's own menu", () => {
  const names = COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  expect(new Set(names).size).toBe(names.length);
  expect(COMMANDS.length).toBeLessThanOrEqual(100);
  for (const { name, description, arguments: args } of nativeCommands(COMMANDS)) {
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]{0,31}$/);
    expect(description.length).toBeGreaterThan(0);
    expect(description.length).toBeLessThanOrEqual(100);
    for (const argument of args) {
      expect(argument.choices.length).toBeLessThanOrEqual(25);
      expect(argument.description.length).toBeLessThanOrEqual(100);
      expect(argument.name).toMatch(/^[a-z0-9_-]{1,32}$/);
    }
    // Discord wants required options first.
    const firstOptional = args.findIndex((argument) => !argument.required);
    if (firstOptional >= 0) expect(args.slice(firstOptional).some((argument) => argument.required)).toBe(false);
  }
});

it("CM-1: help's own definition has no second list of commands", () => {
  expect(helpCommand(() => []).name).toBe("help");
});
