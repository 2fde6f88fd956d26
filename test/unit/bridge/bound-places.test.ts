import { expect, it } from "vitest";
import { createAdmitHeld } from "../../../src/bridge/accept/accept.ts";
import type { ThreadContent } from "../../../src/core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../../src/core/delivery/delivery.ts";
import { asSessionKey, type SessionKey } from "../../../src/core/session/session-key.ts";
import { farewell } from "../../../src/core/texts/chat/completion-text.ts";
import { ensureSession } from "../../../src/store/parts/sessions.ts";
import { bindingHere } from "../../../src/store/reads/runs/bindings.ts";
import { openWork } from "../../../src/store/reads/upkeep/open-work.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import { expireBinding } from "../../../src/store/steps/runs/expire-binding.ts";
import { focus } from "../../../src/store/steps/runs/focus.ts";
import { limitBinding } from "../../../src/store/steps/runs/limit-binding.ts";
import { unfocus } from "../../../src/store/steps/runs/unfocus.ts";
import { migrateConversation } from "../../../src/store/steps/upkeep/migrate-conversation.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group, groupKey } from "./door.ts";

const HOUR = 3_600_000;
const topic = (id: string) => ({ kind: "topic", id, label: null }) as const;
const routeIn = (threadId: string | null): Route => ({
  channel: "telegram",
  accountId: "default",
  to: group.id,
  threadId,
});
const inTopic = (id: string) => ({ peer: group, thread: topic(id), route: routeIn(id) });
const changed = (id: string | null, what: "archived" | "locked" | "unarchived" | "deleted" | "bot_removed") =>
  ({
    peer: group,
    thread: id === null ? ({ kind: "none" } as const) : topic(id),
    route: routeIn(id),
    kind: "thread_changed",
    threadChange: { what },
    sender: { id: "999" },
  }) as const;

const seed = defineStep("seed", "normal", (context, key: SessionKey) =>
  ensureSession(context, { key, agentId: "main", channel: null, originRoute: null, spawnedBy: key0(groupKey) }),
);
const held = defineRead("held", (db, _: null) => db.selectFrom("held_events").select("identity").execute());
const rows = defineRead("rows", (db, _: null) =>
  db.selectFrom("bindings").select(["session_key", "state", "reason"]).orderBy("created_at").orderBy("id").execute(),
);
const content: ThreadContent = {
  kind: "thread",
  title: "Scout",
  opening: { rich: "x", plain: "x" },
  anchorMessageId: null,
  keepOpenMs: 0,
};

function key0(text: string): SessionKey {
  const key = asSessionKey(text);
  if (key === null) throw new Error(text);
  return key;
}

const CHILD = key0("agent:main:subagent:0b5e");
const OTHER = key0("agent:main:subagent:77aa");

describeOnEveryStore("bound places", (open) => {
  async function prepare(limits = { idleMs: 24 * HOUR, maxAgeMs: 0 }) {
    const door = new Door(await open(), doorConfig);
    const { store, clock } = door.test;
    await door.offer({ messageId: "first", peer: group, mentions: { bot: true } });
    for (const key of [CHILD, OTHER]) await store.step(seed, key);
    const bind = (sessionKey: SessionKey, cause: string, threadId = "9") =>
      store.step(focus, { ...limits, cause, sessionKey, actor: "ann", route: routeIn(threadId), thread: null });
    await bind(CHILD, "f1");
    return { door, store, clock, bind };
  }

  it("TB-3, IN-7, IN-8: a bound thread needs no mention, and its messages go to the bound session with their own route", async () => {
    const { door } = await prepare();
    expect(await door.offer({ messageId: "1", ...inTopic("9") })).toMatchObject({
      result: "accepted",
      sessionKey: CHILD,
      rule: expect.stringContaining("linked conversation"),
    });
    expect((await door.inputs()).at(-1)).toMatchObject({ sessionKey: CHILD, route: routeIn("9") });
    expect(await door.offer({ messageId: "2", ...inTopic("8") })).toMatchObject({ result: "kept" });
  });

  it("FC-190: only an allowed sender keeps a binding alive", async () => {
    const { door, store, clock } = await prepare({ idleMs: HOUR, maxAgeMs: 0 });
    clock.advance(HOUR - 1);
    const stranger = { ...inTopic("9"), sender: { id: "666" } };
    const groups = { "-100555": { allowFrom: ["111"] } };
    const strict = new Door(door.test, { channels: { telegram: { botToken: "9:test-token", groups } } });
    expect(await strict.offer({ messageId: "3", ...stranger })).toMatchObject({ result: "refused" });
    clock.advance(2);
    const binding = await store.read(bindingHere, routeIn("9"));
    expect(await store.step(expireBinding, binding?.id ?? "")).toBe("ended");
  });

  it("TB-4, FC-046: traffic in and out restarts the idle time; max age is hard", async () => {
    const { door, store, clock } = await prepare({ idleMs: HOUR, maxAgeMs: 3 * HOUR });
    const id = (await store.read(bindingHere, routeIn("9")))?.id ?? "";
    for (const messageId of ["1", "2"]) {
      clock.advance(HOUR - 1);
      await door.offer({ messageId, ...inTopic("9") });
      expect(await store.step(expireBinding, id)).toBe("later");
    }
    clock.advance(HOUR - 1);
    await door.offer({ messageId: "3", ...inTopic("9") });
    clock.advance(3);
    expect(await store.step(expireBinding, id)).toBe("ended");
    expect(await store.read(rows, null)).toMatchObject([{ state: "ended", reason: "max_age" }]);
    expect((await door.deliveries()).at(-1)).toMatchObject({
      content_json: expect.stringContaining(farewell("max_age")?.plain ?? "no text"),
    });
    expect(await door.offer({ messageId: "4", ...inTopic("9"), mentions: { bot: true } })).toMatchObject({
      sessionKey: `${groupKey}:topic:9`,
    });
  });

  it("SB-4, TB-4: when a place is released is a row, so that a restart loses it not", async () => {
    const { store, clock } = await prepare();
    const id = (await store.read(bindingHere, routeIn("9")))?.id ?? "";
    await store.step(limitBinding, { route: routeIn("9"), idleMs: 1_000 });
    const at = clock.now() + 1_000;
    expect(await store.read(openWork, undefined)).toContainEqual({ task: "binding-expiry", key: id, at });
  });

  it("TB-5: new limits hold from when they are stored, and off means for ever", async () => {
    const { store, clock } = await prepare();
    const id = (await store.read(bindingHere, routeIn("9")))?.id ?? "";
    expect(await store.step(limitBinding, { route: routeIn("9"), idleMs: 1_000 })).toMatchObject({ idleMs: 1_000 });
    expect(await store.step(limitBinding, { route: routeIn("9"), idleMs: 0 })).toMatchObject({
      idleMs: 0,
      maxAgeMs: 0,
    });
    clock.advance(1_000 * HOUR);
    expect(await store.step(expireBinding, id)).toBe("later");
    expect(await store.step(limitBinding, { route: routeIn("8"), idleMs: 1 })).toBeNull();
  });

  it("TB-4, TB-5: one conversation has one binding, a session one place; only a focus replaces, and a repeated one changes nothing", async () => {
    const { store, clock, bind } = await prepare();
    await bind(OTHER, "f2");
    await bind(OTHER, "f2");
    expect(await store.read(rows, null)).toEqual([
      { session_key: CHILD, state: "ended", reason: "replaced" },
      { session_key: OTHER, state: "active", reason: null },
    ]);
    await bind(OTHER, "f3", "10");
    expect(await store.read(bindingHere, routeIn("9"))).toBeNull();
    const given = { route: routeIn("10"), actor: "ann", givenAt: clock.now() };
    expect(await store.step(unfocus, given)).toBe(OTHER);
    // The same command after a crash says the same (TN-2); one that comes later finds nothing.
    expect(await store.step(unfocus, given)).toBe(OTHER);
    expect(await store.step(unfocus, { ...given, givenAt: clock.now() + 1 })).toBeNull();
  });

  it("TB-6, FC-146: an archived thread is bound again by the platform's word or by a message in it, within its life and unless a person released it", async () => {
    const { door, store } = await prepare();
    await door.offer({ messageId: "a1", ...changed("9", "archived") });
    expect(await store.read(rows, null)).toMatchObject([{ state: "paused", reason: "archived" }]);
    await door.offer({ messageId: "a2", ...changed("9", "unarchived") });
    expect(await store.read(rows, null)).toMatchObject([{ state: "active" }]);
    await door.offer({ messageId: "a3", ...changed("9", "archived") });
    expect(await door.offer({ messageId: "1", ...inTopic("9") })).toMatchObject({ sessionKey: CHILD });
    expect(await store.read(rows, null)).toMatchObject([{ state: "active" }]);
    await door.offer({ messageId: "a4", ...changed("9", "archived") });
    await store.step(unfocus, { route: routeIn("9"), actor: "ann", givenAt: 0 });
    await door.offer({ messageId: "a5", ...changed("9", "unarchived") });
    expect(await store.read(rows, null)).toMatchObject([{ state: "ended", reason: "unbound" }]);
  });

  it("TB-6: a lock ends it until it is open again; a deletion, and the bot's removal from the chat, for good", async () => {
    const { door, store, bind } = await prepare();
    await door.offer({ messageId: "a1", ...changed("9", "locked") });
    expect(await door.offer({ messageId: "1", ...inTopic("9") })).not.toMatchObject({ sessionKey: CHILD });
    await door.offer({ messageId: "a2", ...changed("9", "deleted") });
    await bind(OTHER, "f2", "10");
    await door.offer({ messageId: "a3", ...changed(null, "bot_removed") });
    expect(await store.read(rows, null)).toMatchObject([
      { state: "ended", reason: "deleted" },
      { state: "ended", reason: "bot_removed" },
    ]);
    expect(await door.offer({ messageId: "a3", ...changed(null, "bot_removed") })).toMatchObject({
      result: "duplicate",
    });
  });

  it("TB-1: a message in a thread that is being made waits for its binding, keeps its order, and is then the child's", async () => {
    const { door, store } = await prepare();
    const limits = { idleMs: 0, maxAgeMs: 0 };
    await store.step(focus, {
      ...limits,
      cause: "n",
      sessionKey: OTHER,
      actor: "ann",
      route: routeIn(null),
      thread: content,
    });
    const row = (await door.deliveries()).at(-1);
    expect(await door.offer({ messageId: "0", ...inTopic("7"), mentions: { bot: true } })).toMatchObject({
      result: "accepted",
    });
    await store.step(claimDelivery, row?.id ?? 0);
    const early = await door.offer({ messageId: "1", ...inTopic("30"), text: "one" });
    expect(early).toMatchObject({ result: "kept", rule: expect.stringContaining("parked") });
    await door.offer({ messageId: "2", ...inTopic("30"), text: "two" });
    // What is known already is not held up.
    expect(await door.offer({ messageId: "3", ...inTopic("9") })).toMatchObject({ sessionKey: CHILD });
    expect(await door.offer({ messageId: "4", ...inTopic("7"), mentions: { bot: true } })).toMatchObject({
      result: "accepted",
    });
    expect(await store.read(held, null)).toHaveLength(2);
    const settlement = { state: "sent", messageIds: [], made: { route: routeIn("30"), link: null } } as const;
    await store.step(settleDelivery, { id: row?.id ?? 0, conversation: conversationKey(routeIn(null)), settlement });
    expect(door.work).toContain(`admit-held ${conversationKey(routeIn("30"))}`);
    const admit = createAdmitHeld({ store, accept: (event, heldAt) => door.offer(event, heldAt) });
    const slot = { released: <T>(wait: () => Promise<T>) => wait() };
    await admit(conversationKey(routeIn("30")), slot, new AbortController().signal);
    const theirs = (await door.inputs()).filter((input) => input.sessionKey === OTHER);
    expect(theirs.map(({ payload }) => (payload.kind === "event" ? payload.text : ""))).toEqual(["one", "two"]);
    expect(await store.read(held, null)).toEqual([]);
  });

  it("FC-055: a binding moves with its chat", async () => {
    const { door, store } = await prepare();
    await store.step(migrateConversation, { channel: "telegram", accountId: "default", from: group.id, to: "-1009" });
    const there = { ...routeIn("9"), to: "-1009" };
    expect(await store.read(bindingHere, there)).toMatchObject({ sessionKey: CHILD, route: there });
    // A late event still carries the former id.
    expect(await door.offer({ messageId: "1", ...inTopic("9") })).toMatchObject({ sessionKey: CHILD });
    expect((await door.inputs()).at(-1)?.route).toEqual(there);
  });

  it("TB-4: where bindings are switched off a bound thread is as any other", async () => {
    const { door } = await prepare();
    const off = new Door(door.test, { ...doorConfig, session: { threadBindings: { enabled: false } } });
    expect(await off.offer({ messageId: "1", ...inTopic("9"), mentions: { bot: true } })).toMatchObject({
      sessionKey: `${groupKey}:topic:9`,
    });
  });
});
