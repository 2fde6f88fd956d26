import { expect, it } from "vitest";
import { logStateEvent } from "../../../src/store/parts/session-log.ts";
import { openWork } from "../../../src/store/reads/upkeep/open-work.ts";
import { inboxItemFromRow } from "../../../src/store/rows.ts";
import { operatorSend } from "../../../src/store/steps/sessions/operator-send.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { stopSession } from "../../../src/store/steps/sessions/stop-session.ts";
import { pruneStore } from "../../../src/store/steps/upkeep/prune-store.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene } from "./tool-scene.ts";

const A = "agent:main:discord:channel:1";
const B = "agent:main:discord:channel:2";
const MAIN = "agent:main:main";
const settings = testSettings({ tools: { sessions: { visibility: "agent" } } });

const notices = defineRead("test-notices", async (db, sessionKey: string) => {
  const rows = await db
    .selectFrom("inbox")
    .selectAll()
    .where("session_key", "=", sessionKey)
    .where("key", "like", "watch:%")
    .orderBy("seq")
    .execute();
  return rows.map(inboxItemFromRow);
});
const watchersOf = defineRead("test-watchers", (db, target: string) =>
  db.selectFrom("watchers").select(["watcher", "cursor"]).where("target", "=", target).execute(),
);
const eventsOf = defineRead("test-events", (db, sessionKey: string) =>
  db
    .selectFrom("state_events")
    .select(["sequence", "kind", "actor_type", "actor", "summary", "payload_json"])
    .where("session_key", "=", sessionKey)
    .orderBy("sequence")
    .execute(),
);
/** Logs a change and then fails, or not: the change and its line are one transaction. */
const change = defineStep(
  "test-change",
  "normal",
  async (context, input: { readonly key: string; readonly actor?: string; readonly fails?: true }) => {
    const sequence = await logStateEvent(context, {
      sessionKey: key(input.key),
      kind: "goal_changed",
      actorType: "agent",
      actor: input.actor ?? "somebody",
      runId: null,
      summary: "Goal changed",
      payload: {},
    });
    if (input.fails === true) throw new Error("after all not");
    return sequence;
  },
);

describeOnEveryStore("the state log and its watchers", (open) => {
  async function prepare() {
    const test = await open();
    const scene = new ToolScene(test, settings);
    await scene.session(A, { route: ROUTE });
    await scene.session(B, { route: { ...ROUTE, to: "c2" } });
    const caller = await scene.turn(A, { route: ROUTE });
    const watchB = async () =>
      (await caller.call("sessions_send", { sessionKey: B, message: "hi", timeoutSeconds: 0, watch: true })).result;
    const version = async (text: string) => (await scene.read(text)).stateVersion;
    const say = (text: string, id: string) =>
      scene.store.step(operatorSend, { key: key(text), text: "the secret word", id, createFor: null });
    return { scene, caller, clock: test.clock, watchB, version, say };
  }

  it("SL-1, SL-2, SL-4: an event is a line without content, raises the version, and is not there when its change is not", async () => {
    const { scene, caller, version } = await prepare();
    const before = await version(A);
    await expect(scene.store.step(change, { key: A, fails: true })).rejects.toThrow("after all not");
    expect(await version(A)).toBe(before);
    const { result } = await caller.call("sessions_spawn", { task: "find the secret word", label: "Scout" });
    await (await scene.next(String(result.childSessionKey))).end("reply", "the secret word");
    const events = await scene.store.read(eventsOf, A);
    expect(events.map(({ kind }) => kind)).toEqual(["created", "child_spawned", "run_completed"]);
    expect(JSON.parse(events.at(-1)?.payload_json ?? "")).toEqual({ outcome: "ok", turns: 1 });
    expect(JSON.stringify(events)).not.toContain("secret word");
    expect(await version(A)).toBe(events.at(-1)?.sequence);
    expect(await version(A)).toBeGreaterThan(before);
  });

  it("SL-6, ST-27: a send with `watch` registers the sender at the target's version; a spawn its parent; `watch: false` ends it", async () => {
    const { scene, caller, watchB, version } = await prepare();
    expect(await watchB()).toMatchObject({ status: "accepted", watched: true });
    expect(await scene.store.read(watchersOf, B)).toEqual([{ watcher: A, cursor: await version(B) }]);
    const child = String((await caller.call("sessions_spawn", { task: "look" })).result.childSessionKey);
    expect(await scene.store.read(watchersOf, child)).toEqual([{ watcher: A, cursor: await version(child) }]);
    await scene.store.step(change, { key: B });
    const ended = await caller.call("sessions_send", {
      sessionKey: B,
      message: "bye",
      timeoutSeconds: 0,
      watch: false,
    });
    expect(ended.result).toMatchObject({ watched: false });
    expect(await scene.store.read(watchersOf, B)).toEqual([]);
    expect(await scene.store.read(notices, A)).toMatchObject([{ state: "withdrawn" }]);
  });

  it("ST-27, ST-22: a refused send registers nobody", async () => {
    const { scene, caller } = await prepare();
    await scene.archive(B);
    const { result } = await caller.call("sessions_send", { sessionKey: B, message: "x", watch: true });
    expect(result).toMatchObject({ status: "forbidden" });
    expect(await scene.store.read(watchersOf, B)).toEqual([]);
  });

  it("SL-7: twenty changes make one line of unchanging text; taking it moves the cursor, and what comes meanwhile opens exactly one new", async () => {
    const { scene, caller, watchB, version } = await prepare();
    await watchB();
    const known = await version(B);
    for (let at = 0; at < 20; at += 1) await scene.store.step(change, { key: B });
    const text = `Session "${B}" changed (other actor). Reconcile before acting: session_status sessionKey "${B}" changesSince ${known}.`;
    expect(await scene.store.read(notices, A)).toMatchObject([{ state: "waiting", payload: { text, wakes: false } }]);
    await caller.end("reply", "ok");
    const next = await scene.turn(A);
    const [taken] = await scene.store.read(notices, A);
    expect(taken).toMatchObject({ state: "claimed", turnId: next.turn.id });
    const shown = await version(B);
    expect(await scene.store.read(watchersOf, B)).toEqual([{ watcher: A, cursor: shown }]);
    const { result } = await next.call("session_status", { sessionKey: B, changesSince: known });
    expect((result.stateChanges as { events: unknown[] }).events).toHaveLength(20);
    for (let at = 0; at < 3; at += 1) await scene.store.step(change, { key: B });
    await next.end("reply", "ok");
    const after = await scene.store.read(notices, A);
    expect(after).toHaveLength(2);
    expect(after[1]).toMatchObject({
      state: "waiting",
      payload: { text: expect.stringContaining(`changesSince ${shown}.`) },
    });
  });

  it("SL-7: what a watcher caused is no news to it; a dropped notice does not end the watching", async () => {
    const { scene, caller, watchB } = await prepare();
    await watchB();
    await scene.store.step(change, { key: B, actor: A });
    expect(await scene.store.read(notices, A)).toEqual([]);
    await scene.store.step(change, { key: B });
    await caller.end("reply", "ok");
    await scene.store.step(stopSession, { sessionKey: key(A), archiveAfterMs: null, before: Number.MAX_SAFE_INTEGER });
    await scene.store.step(change, { key: B });
    expect((await scene.store.read(notices, A)).map(({ state }) => state)).toEqual(["withdrawn", "waiting"]);
  });

  it("SL-7: a main session is woken, also by a process that finds the row; others read it with their next turn", async () => {
    const { scene } = await prepare();
    await scene.session(MAIN);
    const main = await scene.turn(MAIN);
    await main.call("sessions_send", { sessionKey: B, message: "hi", timeoutSeconds: 0, watch: true });
    await main.end("reply", "ok");
    const due = async () => (await scene.store.read(openWork, undefined)).map((work) => work.key);
    expect(await due()).not.toContain(MAIN);
    await scene.store.step(change, { key: B });
    expect(await due()).toContain(MAIN);
    expect((await scene.next(MAIN)).turn.source).toMatchObject({ kind: "notice", route: null });
  });

  it("SL-3: a person's message is logged only where somebody watches, without its words, and notifies", async () => {
    const { scene, watchB, version, say } = await prepare();
    const before = await version(B);
    await say(B, "1");
    expect(await version(B)).toBe(before);
    await watchB();
    await say(B, "2");
    await say(B, "2");
    const events = await scene.store.read(eventsOf, B);
    expect(events.filter(({ kind }) => kind === "human_direct_message")).toMatchObject([{ actor_type: "human" }]);
    expect(JSON.stringify(events)).not.toContain("secret");
    expect(await scene.store.read(notices, A)).toHaveLength(1);
  });

  it("SL-3: a reset of the target notifies; a child that is spawned or a run that ends does not", async () => {
    const { scene, watchB } = await prepare();
    await watchB();
    const other = await scene.next(B);
    const child = String((await other.call("sessions_spawn", { task: "look" })).result.childSessionKey);
    await (await scene.next(child)).end("reply", "done");
    expect(await scene.store.read(notices, A)).toEqual([]);
    await scene.store.step(resetSession, { sessionKey: key(B), cause: "r", actor: "ann", archiveAfterMs: null });
    expect(await scene.store.read(notices, A)).toHaveLength(1);
  });

  it("SL-6: watching ends with the watcher's reset, its pending notice too", async () => {
    const { scene, watchB } = await prepare();
    await watchB();
    await scene.store.step(change, { key: B });
    await scene.store.step(resetSession, { sessionKey: key(A), cause: "r", actor: "ann", archiveAfterMs: null });
    expect(await scene.store.read(watchersOf, B)).toEqual([]);
    expect(await scene.store.read(notices, A)).toMatchObject([{ state: "withdrawn" }]);
  });

  it("SL-2, SL-5, SL-6: pruning takes the oldest lines; the version stays, and `historyGap` says exactly whether something is missing", async () => {
    const { scene, caller, clock, watchB, version } = await prepare();
    await watchB();
    const sequences: number[] = [];
    for (let at = 0; at < 6; at += 1) sequences.push(await scene.store.step(change, { key: B }));
    const prune = (input: { before?: number; most?: number; limit?: number }) =>
      scene.store.step(pruneStore, {
        eventsBefore: 0,
        settledBefore: input.before ?? 0,
        stateEvents: input.most ?? 1_000,
        limit: input.limit ?? 1_000,
      });
    const since = async (after: number) => {
      const { result } = await caller.call("session_status", { sessionKey: B, changesSince: after });
      const changes = result.stateChanges as { events: { sequence: number }[]; historyGap: boolean };
      return { last: changes.events.length, gap: changes.historyGap };
    };
    const [, second = 0, third = 0, , , last = 0] = sequences;
    // Four lines stay, B's last four.
    await prune({ most: 4 });
    expect(await since(second)).toEqual({ last: 4, gap: false });
    expect(await since(second - 1)).toEqual({ last: 4, gap: true });
    expect(await since(third)).toEqual({ last: 3, gap: false });
    clock.advance(60_000);
    await prune({ before: clock.now() });
    expect(await version(B)).toBe(last);
    expect(await since(last)).toEqual({ last: 0, gap: false });
    expect(await since(last - 1)).toEqual({ last: 0, gap: true });
    // A pair with a pending notice is kept, however old.
    expect(await scene.store.read(watchersOf, B)).toHaveLength(1);
    await caller.end("reply", "ok");
    await (await scene.turn(A)).end("reply", "ok");
    await prune({ before: 1 });
    expect(await scene.store.read(watchersOf, B)).toHaveLength(1);
    clock.advance(60_000);
    await prune({ before: clock.now() });
    expect(await scene.store.read(watchersOf, B)).toEqual([]);
    expect(await scene.store.step(change, { key: B })).toBeGreaterThan(last);
  });

  it("ST-33, SL-5: at most 200 events come at once, oldest first", async () => {
    const { scene, caller, version } = await prepare();
    const from = await version(B);
    for (let at = 0; at < 201; at += 1) await scene.store.step(change, { key: B });
    const { result } = await caller.call("session_status", { sessionKey: B, changesSince: from });
    const { events, historyGap } = result.stateChanges as { events: { sequence: number }[]; historyGap: boolean };
    expect(events).toHaveLength(200);
    expect(historyGap).toBe(false);
    const rest = await caller.call("session_status", { sessionKey: B, changesSince: events.at(-1)?.sequence ?? 0 });
    expect((rest.result.stateChanges as { events: unknown[] }).events).toHaveLength(1);
  });
});
