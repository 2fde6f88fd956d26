import { pino } from "pino";
import { expect, it } from "vitest";
import { createAdmitHeld } from "../../../src/bridge/accept/accept.ts";
import { identityKey } from "../../../src/core/message/inbound-event.ts";
import { notices } from "../../../src/core/texts/chat/notices.ts";
import { insertDeliveries } from "../../../src/store/parts/outbox.ts";
import { pairedSenders, pairingRequests } from "../../../src/store/reads/people/people.ts";
import { traceEvents } from "../../../src/store/reads/trace/event.ts";
import { parkEvent } from "../../../src/store/steps/inbound/park-event.ts";
import { approvePairing } from "../../../src/store/steps/people/pairing-approve.ts";
import { denyPairing } from "../../../src/store/steps/people/pairing-deny.ts";
import { revokePairing } from "../../../src/store/steps/people/pairing-revoke.ts";
import { focus } from "../../../src/store/steps/runs/focus.ts";
import { defineStep } from "../../../src/store/store.ts";
import { sketchEvent } from "../../support/inbound.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { type annKey, Door, doorConfig, group, messageOf } from "./door.ts";

const two = {
  channels: {
    telegram: { groups: { "-100555": {} }, accounts: { default: { botToken: "9:a" }, second: { botToken: "8:b" } } },
  },
};
const bo = { peer: { kind: "direct", id: "222", label: null }, sender: { id: "222", name: "Bo" } } as const;
const viaSecond = (id: string) =>
  ({
    ...bo,
    accountId: "second",
    route: { channel: "telegram", accountId: "second", to: id, threadId: null },
  }) as const;

const codeIn = (content: string): string => /`([2-9A-HJ-NP-Z]{8})`/.exec(JSON.parse(content).piece.plain)?.[1] ?? "";

describeOnEveryStore("people at the door", (open) => {
  it("IN-5: an unknown sender gets one message with a code; asked again it is the same code; nothing else happens", async () => {
    const door = new Door(await open(), two);
    expect(await door.offer({ ...bo, messageId: "1" })).toMatchObject({ result: "refused" });
    await door.offer({ ...bo, messageId: "1" });
    door.test.clock.advance(60_000);
    await door.offer({ ...bo, messageId: "2" });
    const sent = await door.deliveries();
    expect(sent.map((row) => row.conversation)).toEqual(["telegram/default/222/", "telegram/default/222/"]);
    const codes = sent.map((row) => codeIn(row.content_json));
    expect(codes[0]).toHaveLength(8);
    expect(codes[0]).toBe(codes[1]);
    expect([await door.sessions(), await door.inputs()]).toEqual([[], []]);
  });

  it("IN-5: a code lives one hour, and at most three wait per account", async () => {
    const door = new Door(await open(), two);
    for (const id of ["1", "2", "3", "4"]) {
      await door.offer({ messageId: id, peer: { kind: "direct", id, label: null }, sender: { id } });
    }
    expect(await door.deliveries()).toHaveLength(3);
    expect((await door.events()).at(-1)?.rule).toContain("3 requests are already pending");
    door.test.clock.advance(3_600_001);
    await door.offer({ messageId: "5", peer: { kind: "direct", id: "4", label: null }, sender: { id: "4" } });
    const waiting = await door.test.store.read(pairingRequests, { now: door.test.clock.now(), account: null });
    expect(waiting.map((request) => request.senderId)).toEqual(["4"]);
  });

  it("FC-086, FC-085: approval applies to DMs of that account only, durably", async () => {
    const door = new Door(await open(), two);
    await door.offer({ ...viaSecond("222"), messageId: "1" });
    const [request] = await door.test.store.read(pairingRequests, { now: door.test.clock.now(), account: null });
    const code = request?.code ?? "";
    expect(
      await door.test.store.step(approvePairing, { channel: "web", accountId: null, code, owner: false }),
    ).toBeNull();
    const approved = await door.test.store.step(approvePairing, {
      channel: "telegram",
      accountId: null,
      code,
      owner: false,
    });
    expect(approved).toMatchObject({ person: { accountId: "second", senderId: "222", senderName: "Bo" }, owners: 0 });
    expect(await door.offer({ ...viaSecond("222"), messageId: "2" })).toMatchObject({ result: "accepted" });
    expect(await door.offer({ ...bo, messageId: "3" })).toMatchObject({ result: "refused" });
    const person = { channel: "telegram", accountId: "second", senderId: "222" };
    expect(await door.test.store.step(revokePairing, person)).toBe(true);
    expect(await door.offer({ ...viaSecond("222"), messageId: "4" })).toMatchObject({ result: "refused" });
  });

  it("FC-333: what an unknown person wrote waits, is changed by edits, and comes in when they are let in; commands do not", async () => {
    const door = new Door(await open(), two);
    const wrote = (messageId: string, text: string) => ({ ...bo, messageId, text });
    for (const [index, text] of ["lost", "first", "secnd", "oops", "fourth", "/status"].entries())
      await door.offer(wrote(String(index), text));
    await door.offer(wrote("7", "fifth"));
    await door.offer(wrote("8", "sixth"));
    const target = (messageId: string) => identityKey(sketchEvent(wrote(messageId, "")).identity);
    await door.offer({ ...wrote("9", "second"), kind: "edit", target: target("2") });
    await door.offer({ ...wrote("10", ""), kind: "delete", target: target("3") });
    const [request] = await door.test.store.read(pairingRequests, { now: door.test.clock.now(), account: null });
    const choice = { channel: "telegram", accountId: null, code: request?.code ?? "", owner: false };
    const asked = (await door.deliveries()).length;
    await door.test.store.step(approvePairing, choice);
    const greeting = (await door.deliveries()).slice(asked);
    expect(greeting.map((row) => JSON.parse(row.content_json).piece.plain)).toEqual([notices.welcome]);
    expect(door.work).toContain("admit-held telegram/default/222/");
    const admit = createAdmitHeld({ store: door.test.store, accept: (event, heldAt) => door.offer(event, heldAt) });
    await admit("telegram/default/222/", { released: (wait) => wait() }, new AbortController().signal);
    expect((await door.inputs()).map((input) => messageOf(input).text)).toEqual(["second", "fourth", "fifth", "sixth"]);
  });

  it("FC-333: the operator reads the exact commands, the person none of the paths", async () => {
    const lines: object[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const commandLine = { exact: "node /srv/yard/src/main.js", shown: "switchyard" };
    const door = new Door(await open(), two, { log, commandLine });
    await door.offer({ ...bo, messageId: "1" });
    const [sent] = await door.deliveries();
    const code = codeIn(sent?.content_json ?? "");
    const approve = `pairing approve telegram ${code}`;
    expect(JSON.parse(sent?.content_json ?? "").piece.plain).toContain(`switchyard ${approve} --owner`);
    expect(sent?.content_json).not.toContain("/srv");
    expect(lines).toContainEqual(
      expect.objectContaining({
        approve: `node /srv/yard/src/main.js ${approve}`,
        owner: `node /srv/yard/src/main.js ${approve} --owner`,
      }),
    );
  });

  it("IN-5: --owner makes an owner; a denied code is gone", async () => {
    const door = new Door(await open(), two);
    await door.offer({ ...bo, messageId: "1" });
    const codeNow = async () =>
      (await door.test.store.read(pairingRequests, { now: door.test.clock.now(), account: null }))[0]?.code ?? "";
    const denied = await codeNow();
    const choice = { channel: "telegram", accountId: null };
    expect(await door.test.store.step(denyPairing, { ...choice, code: denied })).toMatchObject({ senderId: "222" });
    await door.offer({ ...bo, messageId: "2" });
    expect(await codeNow()).not.toBe(denied);
    const approved = await door.test.store.step(approvePairing, { ...choice, code: await codeNow(), owner: true });
    expect(approved?.owners).toBe(1);
    await door.offer({ ...bo, messageId: "3" });
    expect((await door.inputs())[0]?.rights.role).toBe("owner");
    expect(await door.test.store.read(pairedSenders, null)).toMatchObject([{ senderId: "222", owner: true }]);
  });

  it("TN-19: at the limit one plain line, once, and the operator sees it; a minute later all is well", async () => {
    const door = new Door(await open(), { ...doorConfig, limits: { perSender: { perMinute: 2 } } });
    const results: string[] = [];
    for (const id of ["1", "2", "3", "4"]) results.push((await door.offer({ messageId: id })).result);
    expect(results).toEqual(["accepted", "accepted", "refused", "refused"]);
    expect(await door.deliveries()).toHaveLength(1);
    expect(await door.failures()).toMatchObject([{ kind: "limit" }]);
    door.test.clock.advance(60_001);
    expect(await door.offer({ messageId: "5" })).toMatchObject({ result: "accepted" });
  });

  it("TN-19, TN-8: at the limit commands still get through, and an album is one message", async () => {
    const door = new Door(await open(), { ...doorConfig, limits: { perSender: { perMinute: 1 } } });
    const picture = (ref: string) => [{ ref, name: ref, mime: null, bytes: null, kind: "image" as const }];
    await door.offer({ messageId: "1", albumId: "A", attachments: picture("a") });
    expect(await door.offer({ messageId: "2", albumId: "A", attachments: picture("b") })).toMatchObject({
      result: "merged",
    });
    expect(await door.offer({ messageId: "3", text: "more" })).toMatchObject({ result: "refused" });
    expect(await door.offer({ messageId: "4", text: "/stop" })).toMatchObject({ result: "command" });
    expect(await door.offer({ messageId: "5", text: "stop" })).toMatchObject({ result: "command" });
  });

  it("FC-082: two bots stop after maxBotTurns without a person, and a person lets them go on", async () => {
    const telegram = { botToken: "9:a", groups: { "-100555": {} }, allowBots: true, maxBotTurns: 2 };
    const door = new Door(await open(), { channels: { telegram } });
    const says = async (id: string, sender: { id: string; isBot: boolean }) => {
      door.test.clock.advance(1);
      return (await door.offer({ messageId: id, peer: group, mentions: { bot: true }, sender })).result;
    };
    const otherBot = { id: "b7", isBot: true };
    expect([await says("1", otherBot), await says("2", otherBot), await says("3", otherBot)]).toEqual([
      "accepted",
      "accepted",
      "refused",
    ]);
    expect(await says("4", { id: "111", isBot: false })).toBe("accepted");
    expect(await says("5", otherBot)).toBe("accepted");
    expect((await door.sessions())[0]?.lastHumanAt).toBe(door.test.clock.now() - 1);
  });

  it("FC-185: a thread the bot answered in needs no mention, and that is read from the deliveries", async () => {
    const door = new Door(await open(), doorConfig);
    const route = { channel: "telegram", accountId: "default", to: group.id, threadId: "7" };
    const there = { peer: group, route, thread: { kind: "topic", id: "7", label: null } } as const;
    expect(await door.offer({ ...there, messageId: "1" })).toMatchObject({ result: "kept" });
    await door.test.store.step(
      defineStep("sent", "normal", async (context, _: null) => {
        const content = { kind: "message", piece: { rich: "x", plain: "x" }, replyTo: null, private: false } as const;
        await insertDeliveries(context, {
          deliveries: [{ key: "d", route, content }],
          sessionKey: null,
          turnId: null,
          runId: null,
        });
        await context.db.updateTable("deliveries").set({ state: "sent" }).execute();
      }),
      null,
    );
    expect(await door.offer({ ...there, messageId: "2" })).toMatchObject({ result: "accepted" });
    expect(await door.offer({ peer: group, messageId: "3" })).toMatchObject({ result: "kept" });
  });

  it("FC-107: under dmScope main only the one owner's DMs move the last route", async () => {
    const config = {
      ...two,
      session: { dmScope: "main" },
      commands: { ownerAllowFrom: ["telegram:111"] },
      channels: { telegram: { botToken: "9:a", dmPolicy: "open", allowFrom: ["*"] } },
    };
    const door = new Door(await open(), config);
    await door.offer({ messageId: "1" });
    await door.offer({ ...bo, messageId: "2" });
    const [session] = await door.sessions();
    expect(session).toMatchObject({ key: "agent:main:main", lastRoute: { to: "111" } });
  });

  it("TB-3, FC-190: a bound conversation's messages go to its session, for admitted people only", async () => {
    const bound = "agent:main:subagent:0b5e" as typeof annKey & never;
    const door = new Door(await open(), doorConfig);
    const thread = { kind: "topic", id: "9", label: null } as const;
    const route = { channel: "telegram", accountId: "default", to: group.id, threadId: "9" };
    const limits = { idleMs: 0, maxAgeMs: 0, thread: null };
    await door.test.store.step(focus, { cause: "1", sessionKey: bound, actor: "ann", route, ...limits });
    const here = { messageId: "1", peer: group, thread, route };
    expect(await door.offer(here)).toMatchObject({ result: "accepted", sessionKey: bound });
    expect(door.work).toEqual([`child-turn ${bound}`]);
    const stranger = { messageId: "2", peer: { kind: "group", id: "-1", label: null }, thread } as const;
    expect(await door.offer(stranger)).toMatchObject({ result: "refused" });
  });

  it("IN-3, IN-17: a parked event is told to the operator once and never runs; /why shows what happened to a message", async () => {
    const door = new Door(await open(), doorConfig);
    const parked = { identity: "x", channel: "telegram", accountId: "default", error: "bad shape", raw: "{}" };
    await door.test.store.step(parkEvent, parked);
    await door.test.store.step(parkEvent, parked);
    expect(await door.failures()).toHaveLength(1);
    await door.offer({ link: "https://t.me/c/1/2", peer: group });
    const asked = { by: "reference", reference: "https://t.me/c/1/2", limit: 5 } as const;
    expect(await door.test.store.read(traceEvents, asked)).toMatchObject([
      {
        result: "kept",
        context: "waiting",
        input: null,
        rule: expect.stringContaining("groups.-100555.requireMention is true"),
      },
    ]);
  });
});
