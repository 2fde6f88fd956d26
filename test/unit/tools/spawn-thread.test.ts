import { expect, it } from "vitest";
import type { ThreadContent } from "../../../src/core/delivery/delivery.ts";
import { conversationKey, type Route } from "../../../src/core/delivery/delivery.ts";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import { threadNotCreated, threadPerhapsCreated } from "../../../src/core/texts/agent/session-notices.ts";
import { COMPLETION } from "../../../src/core/texts/store/outcomes.ts";
import type { Threads } from "../../../src/delivery/way-out.ts";
import { findRun } from "../../../src/store/reads/runs/runs.ts";
import { contextTail } from "../../../src/store/reads/turns/context.ts";
import { deliveryFromRow, inboxItemFromRow } from "../../../src/store/rows.ts";
import { claimDelivery } from "../../../src/store/steps/delivery/claim-delivery.ts";
import { type Settlement, settleDelivery } from "../../../src/store/steps/delivery/settle-delivery.ts";
import { killRun } from "../../../src/store/steps/runs/kill-run.ts";
import { defineRead, type Store } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, type TestStore } from "../../support/test-store.ts";
import { ROUTE, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:c1";
const THREAD: Route = { ...ROUTE, threadId: "t9" };
const threads: Threads = {
  ability: async () => ({ can: true }),
  render: (_route, nodes) => ({ rich: JSON.stringify(nodes), plain: JSON.stringify(nodes) }),
};

const inputsOf = defineRead("test-inputs", async (db, sessionKey: string) => {
  const rows = await db.selectFrom("inbox").selectAll().where("session_key", "=", sessionKey).orderBy("seq").execute();
  return rows.map(inboxItemFromRow);
});
const outbox = defineRead("test-outbox", async (db, _: null) =>
  (await db.selectFrom("deliveries").selectAll().orderBy("id").execute()).map(deliveryFromRow),
);
const bindings = defineRead("test-bindings", (db, _: null) =>
  db.selectFrom("bindings").select(["session_key", "state", "reason", "conversation"]).execute(),
);
const events = defineRead("test-events", async (db, sessionKey: string) => {
  const rows = await db.selectFrom("state_events").select("kind").where("session_key", "=", sessionKey).execute();
  return rows.map((row) => row.kind);
});
const completions = defineRead("test-completions", (db, _: null) =>
  db.selectFrom("completions").select(["state", "reason"]).execute(),
);

/** What the pump does once the platform has answered. */
async function settle(store: Store, settlement: Settlement): Promise<void> {
  const open = (await store.read(outbox, null)).find(({ state }) => state === "pending");
  if (open === undefined) throw new Error("nothing is to be sent");
  await store.step(claimDelivery, open.id);
  await store.step(settleDelivery, { id: open.id, conversation: conversationKey(open.route), settlement });
}

const made: Settlement = { state: "sent", messageIds: [], made: { route: THREAD, link: null } };

describeOnEveryStore("a sub-agent with a thread of its own", (open) => {
  async function prepare(args: Record<string, string | boolean> = {}, test?: TestStore) {
    const scene = new ToolScene(test ?? (await open()), testSettings());
    scene.threads = threads;
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const { result } = await caller.call("sessions_spawn", { task: "look", label: "Scout", thread: true, ...args });
    const child = String(result.childSessionKey);
    return { scene, store: scene.store, caller, result, child, runId: String(result.runId) };
  }

  it("TB-1, SP-1: the spawn returns at once in mode session; its first turn waits for the thread, which is a delivery", async () => {
    const { store, result, child } = await prepare();
    expect(result).toMatchObject({ status: "accepted", mode: "session" });
    expect(await store.read(inputsOf, child)).toMatchObject([{ state: "held", payload: { kind: "task" } }]);
    const [delivery] = await store.read(outbox, null);
    const content = delivery?.content as ThreadContent;
    expect(delivery?.route).toEqual(ROUTE);
    expect(content).toMatchObject({ kind: "thread", title: "Scout", keepOpenMs: 86_400_000 });
    expect(content.opening.plain).toMatch(/Scout.*agent main.*Reply in this thread.*24 h/);
    expect(await store.read(bindings, null)).toMatchObject([{ session_key: child, state: "pending" }]);
  });

  it("TB-1, TB-2: one step stores the binding, the route and lets the child begin; the opening follows where it is not in yet", async () => {
    const { scene, store, child } = await prepare();
    await settle(store, made);
    expect(await store.read(bindings, null)).toMatchObject([
      { session_key: child, state: "active", conversation: conversationKey(THREAD) },
    ]);
    expect(await store.read(inputsOf, child)).toMatchObject([{ state: "waiting", route: THREAD }]);
    expect((await scene.read(child)).lastRoute).toEqual(THREAD);
    expect(await store.read(events, child)).toContain("bound");
    const opening = (await store.read(outbox, null)).at(-1);
    expect(opening).toMatchObject({
      route: THREAD,
      content: { kind: "message" },
      key: expect.stringMatching(/:opening$/),
    });
  });

  it("TB-2, FC-017: its result is read in the thread; the requester gets a state event and no second copy", async () => {
    const { scene, store, child } = await prepare();
    await settle(store, made);
    const turn = await scene.next(child);
    expect(turn.turn.source.route).toEqual(THREAD);
    await turn.end("reply", "all seen");
    expect(await store.read(completions, null)).toEqual([{ state: "silent", reason: COMPLETION.inThread }]);
    expect(await store.read(events, OWN)).toContain("run_completed");
    expect(await store.read(inputsOf, OWN)).toHaveLength(1);
  });

  it("FC-235, SB-1, SB-2: after its first turn it is listed with its thread, steered, named and closed through subagents", async () => {
    const { scene, store, caller, child, runId } = await prepare();
    await settle(store, made);
    await (await scene.next(child)).end("reply", "all seen");
    scene.clock.advance(3_600_000);
    const asks = (args: object) => caller.call("subagents", { ...args });
    expect((await asks({ action: "list" })).result.runs).toMatchObject([{ runId, status: "ok", threadRoute: THREAD }]);
    expect((await asks({ action: "steer", target: "Scout", message: "look again" })).result).toMatchObject({
      status: "ok",
    });
    const guided = (await store.read(inputsOf, child)).at(-1);
    expect(guided).toMatchObject({ state: "waiting", route: THREAD, payload: { kind: "steer", text: "look again" } });
    const turn = await scene.next(child);
    expect(turn.turn.source.route).toEqual(THREAD);
    await turn.end("reply", "seen again");
    await asks({ action: "name", target: "Scout", message: "Night watch" });
    expect((await scene.read(child)).displayName).toBe("Night watch");
    expect((await asks({ action: "kill", target: runId })).result).toMatchObject({ status: "ok", killed: [runId] });
    expect(await store.read(bindings, null)).toMatchObject([{ state: "ended", reason: "closed" }]);
    expect((await store.read(outbox, null)).at(-1)).toMatchObject({ route: THREAD, content: { kind: "message" } });
    expect((await asks({ action: "kill", target: runId })).result).toMatchObject({ killed: [] });
    expect((await asks({ action: "steer", target: runId, message: "and now?" })).result).toMatchObject({
      status: "error",
    });
  });

  it("TB-2, FC-017: with completionTarget the requester is told as well", async () => {
    const { scene, store, child } = await prepare({ completionTarget: "channel" });
    await settle(store, made);
    await (await scene.next(child)).end("reply", "all seen");
    expect((await store.read(inputsOf, OWN)).at(-1)).toMatchObject({ payload: { kind: "completion" }, route: ROUTE });
  });

  it.each([
    ["failed", threadNotCreated],
    ["unconfirmed", threadPerhapsCreated],
  ] as const)(
    "TB-1, TB-7: a thread that is %s ends the run as an error and tells the requester",
    async (state, words) => {
      const { store, child, runId } = await prepare();
      await settle(store, { state, reason: "no rights" });
      const run = await store.read(findRun, runId);
      expect(run).toMatchObject({ outcome: "error", error: words("no rights") });
      expect(await store.read(inputsOf, child)).toMatchObject([{ state: "withdrawn" }]);
      const told = (await store.read(inputsOf, OWN)).at(-1);
      expect(told).toMatchObject({ payload: { kind: "completion" }, route: ROUTE });
      expect(await store.read(bindings, null)).toMatchObject([{ state: "ended", reason: "not_created" }]);
    },
  );

  it("TB-7: a run killed before its thread is begun makes none", async () => {
    const { store, runId } = await prepare();
    await store.step(killRun, { runId, archiveAfterMs: null });
    expect(await store.read(outbox, null)).toMatchObject([{ state: "withdrawn" }]);
    expect(await store.read(bindings, null)).toMatchObject([{ state: "ended", reason: "run_ended" }]);
  });

  it("TB-7: a thread made for a run killed meanwhile is told that nobody will come", async () => {
    const { store, runId } = await prepare();
    const [row] = await store.read(outbox, null);
    await store.step(claimDelivery, row?.id ?? 0);
    await store.step(killRun, { runId, archiveAfterMs: null });
    await store.step(settleDelivery, { id: row?.id ?? 0, conversation: conversationKey(ROUTE), settlement: made });
    const said = (await store.read(outbox, null)).at(-1);
    expect(said).toMatchObject({ route: THREAD, content: { once: true, piece: { plain: /no longer needed/ } } });
  });

  it("TB-6, FC-145: a refused message to a closed thread pauses the binding, to one that is gone ends it; the requester learns of it", async () => {
    const { store, child } = await prepare();
    await settle(store, made);
    await settle(store, { state: "failed", reason: "locked", place: "closed" });
    expect(await store.read(bindings, null)).toMatchObject([{ state: "paused", reason: "locked" }]);
    expect((await store.read(inputsOf, OWN)).at(-1)?.payload).toMatchObject({ kind: "notice", text: /was locked/ });
    expect(await store.read(events, child)).toContain("unbound");
  });

  it("SP-5: a fork reads the requester's history up to the step of the spawn, and nothing either side says later", async () => {
    const test = await open();
    const scene = new ToolScene(test, testSettings());
    scene.threads = threads;
    await scene.session(OWN, { route: ROUTE });
    await scene.write(OWN, [said("user", "remember the key")]);
    const caller = await scene.turn(OWN, { route: ROUTE });
    const { result } = await caller.call("sessions_spawn", { task: "look", thread: true });
    await scene.write(OWN, [said("user", "this comes later")]);
    const child = await scene.read(String(result.childSessionKey));
    await scene.write(child.key, [said("user", "[Subagent Task] look")]);
    const shown = await scene.store.read(contextTail, { sessionId: child.sessionId, limit: 50 });
    const texts = shown.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
    expect(texts[0]).toBe("remember the key");
    expect(texts.at(-1)).toBe("[Subagent Task] look");
    expect(texts).not.toContain("this comes later");
    const newest = await scene.store.read(contextTail, { sessionId: child.sessionId, limit: 1 });
    expect(newest).toHaveLength(1);
    expect(newest[0]?.sessionKey).toBe(child.key);
    const parents = await scene.store.read(contextTail, { sessionId: caller.session.sessionId, limit: 50 });
    expect(parents.every((message) => message.sessionKey === OWN)).toBe(true);
  });

  it("SP-5: a history over half the child's window is left out, and the result says so", async () => {
    const small = testSettings({
      models: {
        providers: {
          local: {
            type: "openai-compatible",
            baseUrl: "http://127.0.0.1:1/v1",
            models: { small: { contextTokens: 4000 } },
          },
        },
      },
      agents: { defaults: { model: "local/small" }, entries: { main: { default: true } } },
    });
    const scene = new ToolScene(await open(), small);
    await scene.session(OWN, { route: ROUTE });
    await scene.setContextTokens(OWN, 2_001);
    const caller = await scene.turn(OWN, { route: ROUTE });
    const { result } = await caller.call("sessions_spawn", { task: "look", context: "fork" });
    expect(result).toMatchObject({
      status: "accepted",
      note: expect.stringMatching(/started without this conversation/),
    });
    const child = await scene.read(String(result.childSessionKey));
    expect(await scene.store.read(contextTail, { sessionId: child.sessionId, limit: 50 })).toEqual([]);
  });

  it("TB-4: spawnSessions off refuses by its name, enabled off with the one sentence", async () => {
    for (const [threadBindings, words] of [
      [{ spawnSessions: false }, /session\.threadBindings\.spawnSessions/],
      [{ enabled: false }, /^thread bindings unavailable here; use mode "run"$/],
    ] as const) {
      const scene = new ToolScene(await open(), testSettings({ session: { threadBindings } }));
      scene.threads = threads;
      await scene.session(OWN, { route: ROUTE });
      const caller = await scene.turn(OWN, { route: ROUTE });
      const { result } = await caller.call("sessions_spawn", { task: "look", thread: true });
      expect(result.error).toMatch(words);
      expect(await scene.store.read(bindings, null)).toEqual([]);
    }
  });
});

function said(role: "user", text: string): NewMessage {
  return { role, parts: [{ type: "text", text }], provenance: { kind: "system", source: "test" }, usage: null };
}
