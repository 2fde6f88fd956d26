import { expect, it } from "vitest";
import { sketchEvent } from "../../support/inbound.ts";
import { seedDelivery } from "../../support/store-seeds.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig, group, groupKey, messageOf } from "./door.ts";

describeOnEveryStore("the way in", (open) => {
  it("IN-2, IN-16: a message makes its session, its input and the last route in one step", async () => {
    const door = new Door(await open(), doorConfig);
    const result = await door.offer({ text: "hello", link: "tg:111/1" });
    expect(result).toEqual({ result: "accepted", sessionKey: annKey, rule: "direct message; default agent" });
    const [item] = await door.inputs();
    expect(item).toMatchObject({ sessionKey: annKey, state: "waiting", cause: "tg:111/1" });
    expect(item?.rights).toMatchObject({ role: "user", sender: { channel: "telegram", id: "111" }, group: null });
    expect(messageOf(item)).toMatchObject({ text: "hello", senderName: "Ann", messageId: "1", context: [] });
    expect(messageOf(item).gathering).toBeUndefined();
    const [session] = await door.sessions();
    const route = { channel: "telegram", accountId: "default", to: "111", threadId: null };
    expect(session).toMatchObject({ key: annKey, lastRoute: route, lastHumanAt: door.test.clock.now() });
    expect(door.work).toEqual([`turn ${annKey}`]);
  });

  it("IN-2: the same event again, also at the same moment, is one input", async () => {
    const door = new Door(await open(), doorConfig);
    const results = await Promise.all([door.offer(), door.offer(), door.offer()]);
    expect(results.map((one) => one.result).toSorted()).toEqual(["accepted", "duplicate", "duplicate"]);
    expect(await door.offer()).toEqual({ result: "duplicate", rule: "seen before: accepted" });
    expect(await door.inputs()).toHaveLength(1);
  });

  it("FC-134: a second message with the same text is another message", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ messageId: "1", text: "yes" });
    await door.offer({ messageId: "2", text: "yes" });
    expect(await door.inputs()).toHaveLength(2);
  });

  it.for(["pending", "sending", "sent", "failed", "withdrawn"])(
    "IN-7, FC-185: a follow-up in a topic whose answer is %s",
    async (state) => {
      const door = new Door(await open(), doorConfig);
      const route = { channel: "telegram", accountId: "default", to: group.id, threadId: "7" };
      const content = { kind: "message", piece: { rich: "x", plain: "x" }, replyTo: null, private: false } as const;
      await door.test.store.step(seedDelivery, { delivery: { key: "d", route, content }, state, reason: null });
      const thread = { kind: "topic", id: "7", label: null } as const;
      const { result } = await door.offer({ peer: group, thread, route, text: "and then?" });
      expect(result).toBe(["failed", "withdrawn"].includes(state) ? "kept" : "accepted");
    },
  );

  it("IN-7: a follow-up in a topic needs no mention while what was asked there is still worked on", async () => {
    const door = new Door(await open(), doorConfig);
    const route = (threadId: string) => ({ channel: "telegram", accountId: "default", to: group.id, threadId });
    const inTopic = (id: string) =>
      ({ peer: group, thread: { kind: "topic", id, label: null }, route: route(id) }) as const;
    await door.offer({ ...inTopic("7"), messageId: "1", mentions: { bot: true } });
    expect(await door.offer({ ...inTopic("7"), messageId: "2", text: "and then?" })).toMatchObject({
      result: "accepted",
    });
    expect(await door.offer({ ...inTopic("8"), messageId: "3", text: "elsewhere" })).toMatchObject({ result: "kept" });
  });

  it("SK-5, FC-047: a message in a topic makes the parent's session too, with the parent's route", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({
      peer: group,
      thread: { kind: "topic", id: "7", label: "Builds" },
      route: { channel: "telegram", accountId: "default", to: group.id, threadId: "7" },
      mentions: { bot: true },
    });
    const sessions = await door.sessions();
    expect(sessions.map((one) => [one.key, one.originRoute?.threadId, one.lastRoute?.threadId])).toEqual([
      [groupKey, null, null],
      [`${groupKey}:topic:7`, "7", "7"],
    ]);
  });

  it("IN-6, IN-17: a refused message leaves no session and no input, only its reason", async () => {
    const door = new Door(await open(), doorConfig);
    const refused = await door.offer({ peer: { kind: "group", id: "-42", label: null }, mentions: { bot: true } });
    expect(refused).toEqual({ result: "refused", rule: "channels.telegram.groups does not list -42" });
    expect([await door.sessions(), await door.inputs(), await door.deliveries()]).toEqual([[], [], []]);
    expect(await door.events()).toMatchObject([
      { result: "refused", rule: "channels.telegram.groups does not list -42" },
    ]);
  });

  it("IN-7: unaddressed messages are kept and shown with the next addressed one, the newest only", async () => {
    const door = new Door(await open(), { ...doorConfig, messages: { historyLimit: 2 } });
    for (const id of ["1", "2", "3"]) {
      const kept = await door.offer({
        messageId: id,
        peer: group,
        text: `aside ${id}`,
        sender: { id: "5", name: "Bo" },
      });
      expect(kept).toMatchObject({ result: "kept", sessionKey: groupKey });
    }
    expect(await door.sessions()).toEqual([]);
    await door.offer({ messageId: "4", peer: group, text: "well?", mentions: { bot: true } });
    const [item] = await door.inputs();
    expect(messageOf(item).context).toEqual([
      { senderName: "Bo", text: "aside 2" },
      { senderName: "Bo", text: "aside 3" },
    ]);
    await door.offer({ messageId: "5", peer: group, text: "and?", mentions: { bot: true } });
    expect(messageOf((await door.inputs())[1]).context).toEqual([]);
  });

  it("FC-068: a post that lacked the mention is decided again when the mention arrives, and is no context of itself", async () => {
    const door = new Door(await open(), doorConfig);
    const first = await door.offer({ peer: group, text: "do it" });
    expect(first.result).toBe("kept");
    const second = await door.offer({ peer: group, text: "do it", mentions: { bot: true } });
    expect(second).toMatchObject({ result: "accepted", sessionKey: groupKey });
    const [item] = await door.inputs();
    expect(messageOf(item)).toMatchObject({ text: "do it", context: [] });
    expect(await door.offer({ peer: group, text: "do it", mentions: { bot: true } })).toMatchObject({
      result: "duplicate",
    });
    expect(await door.inputs()).toHaveLength(1);
  });

  it("FC-069: two arrivals of one post at the same moment are one input, whichever comes first", async () => {
    const door = new Door(await open(), doorConfig);
    const results = await Promise.all([
      door.offer({ peer: group, text: "do it" }),
      door.offer({ peer: group, text: "do it", mentions: { bot: true } }),
    ]);
    expect(results.filter((one) => one.result === "accepted")).toHaveLength(1);
    expect(await door.inputs()).toHaveLength(1);
  });

  it("IN-2: a later arrival that knows the chat's kind moves the input to where it belongs", async () => {
    const door = new Door(await open(), doorConfig);
    const guessed = { ...group, kind: "channel", kindGuessed: true } as const;
    expect(await door.offer({ peer: guessed, mentions: { bot: true } })).toMatchObject({
      sessionKey: "agent:main:telegram:channel:-100555",
    });
    expect(await door.offer({ peer: group })).toMatchObject({ result: "accepted", sessionKey: groupKey });
    expect((await door.inputs()).map((item) => item.sessionKey)).toEqual([groupKey]);
  });

  it("IN-14: an event older than catchUp.maxAge is stored unanswered, with one line to the operator per conversation", async () => {
    const door = new Door(await open(), { ...doorConfig, catchUp: { maxAge: "15m" } });
    const old = door.test.clock.now() - 16 * 60_000;
    expect(await door.offer({ messageId: "1", sentAt: old })).toMatchObject({ result: "stale" });
    expect(await door.offer({ messageId: "2", sentAt: old, text: "/status" })).toMatchObject({ result: "stale" });
    expect(await door.offer({ messageId: "3", sentAt: door.test.clock.now() - 14 * 60_000 })).toMatchObject({
      result: "accepted",
    });
    expect(await door.failures()).toMatchObject([{ kind: "catch_up" }]);
    expect(await door.inputs()).toHaveLength(1);
  });

  it("IN-9: a command is stored as one, reaches no transcript input, and is due in its own lane", async () => {
    const door = new Door(await open(), doorConfig);
    const event = sketchEvent({ sentAt: door.test.clock.now(), text: "/status now" });
    expect(await door.offer(event)).toMatchObject({ result: "command", sessionKey: annKey });
    const [item] = await door.inputs();
    expect(item?.payload).toMatchObject({ kind: "command", name: "status", args: "now", native: false, direct: true });
    expect(door.work).toEqual([`command ${annKey}`]);
    expect(await door.offer(event)).toMatchObject({ result: "duplicate" });
  });

  it("CM-7: a directive applies to its message and is removed from the text", async () => {
    const door = new Door(await open(), doorConfig);
    await door.offer({ text: "/think high what  is\n  this" });
    expect(messageOf((await door.inputs())[0])).toMatchObject({
      text: "what  is\n  this",
      directives: { thinking: "high" },
    });
  });

  it("IN-8: without a matching binding or a default the event is refused and names the missing binding", async () => {
    const agents = { entries: { a: { name: "A" }, b: { name: "B" } } };
    const door = new Door(await open(), { ...doorConfig, agents });
    const refused = await door.offer();
    expect(refused.result).toBe("refused");
    expect(refused.rule).toContain('no entry of bindings[] matches { channel: "telegram", accountId: "default"');
    expect(await door.failures()).toMatchObject([{ kind: "inbound" }]);
  });

  it("TN-3, FC-119: beyond twenty waiting messages the oldest are told in a notice, and /why names the rule; none vanishes", async () => {
    const door = new Door(await open(), { ...doorConfig, limits: { perSender: { perMinute: 0 } } });
    for (let at = 1; at <= 45; at += 1)
      await door.offer({ messageId: String(at), text: `word ${at} ${"x".repeat(300)}` });
    const inputs = await door.inputs();
    const waiting = inputs.filter((item) => item.state === "waiting" && item.payload.kind === "event");
    expect(waiting.map((item) => messageOf(item).messageId)).toEqual(
      Array.from({ length: 20 }, (_, at) => String(at + 26)),
    );
    const notices = inputs.flatMap(({ payload }) => (payload.kind === "notice" ? [payload] : []));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ wakes: false });
    const lines = notices[0]?.text.split("\n") ?? [];
    expect(lines.slice(1, 3)).toEqual([
      expect.stringMatching(/^- "Ann": "word 1 x+"$/),
      expect.stringContaining("word 2 "),
    ]);
    expect(lines.at(-1)).toBe("- and 5 more");
    expect(lines.join("").length).toBeLessThan(20 * 200);
    const [first] = await door.events();
    expect(first).toMatchObject({ result: "merged", rule: "messages.queue.cap is 20: shortened into a notice" });
  });
});
