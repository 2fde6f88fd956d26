import { expect, it } from "vitest";
import { startNewLife } from "../../../src/store/parts/new-life.ts";
import { sessionByKey } from "../../../src/store/reads/sessions/targets.ts";
import { resetSession } from "../../../src/store/steps/sessions/reset-session.ts";
import { defineRead, defineStep } from "../../../src/store/store.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const events = defineRead("goal-events", (db, _: null) =>
  db
    .selectFrom("state_events")
    .select(["summary", "actor_type"])
    .where("kind", "=", "goal_changed")
    .orderBy("sequence")
    .execute(),
);
const freshLife = defineStep("fresh-life", "normal", (context, _: null) =>
  startNewLife(context, { sessionKey: key(OWN), cause: "auto", actor: { type: "system", id: "session.reset" } }),
);

describeOnEveryStore("goals", (open) => {
  async function prepare() {
    const scene = new ToolScene(await open());
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const goalOf = async () => (await scene.store.read(sessionByKey, key(OWN)))?.goal ?? null;
    return { scene, goalOf, call: async (name: string, args = {}) => (await caller.call(name, args)).result };
  }

  it("ST-41: a session has one goal, which its agent creates, updates and completes; each change is logged", async () => {
    const { scene, call } = await prepare();
    expect(await call("get_goal")).toEqual({ status: "ok", goal: null });
    expect(await call("update_goal", { state: "paused" })).toMatchObject({
      status: "error",
      error: "this session has no goal",
    });
    expect(await call("create_goal", { objective: "ship it" })).toMatchObject({
      status: "ok",
      goal: { objective: "ship it", state: "active" },
    });
    expect(await call("create_goal", { objective: "another" })).toMatchObject({
      status: "error",
      error: "this session has a goal already, and it is active",
    });
    expect(await call("update_goal", {})).toMatchObject({ status: "error" });
    expect(await call("update_goal", { state: "blocked", note: "waits for Ann" })).toMatchObject({
      goal: { objective: "ship it", state: "blocked", note: "waits for Ann" },
    });
    await call("update_goal", { state: "complete" });
    expect(await call("create_goal", { objective: "another" })).toMatchObject({ goal: { objective: "another" } });
    const logged = await scene.store.read(events, null);
    expect(logged.map(({ summary }) => summary)).toEqual([
      "Goal active",
      "Goal blocked",
      "Goal complete",
      "Goal active",
    ]);
  });

  it("ST-41: an automatic reset keeps the goal, somebody's /new ends it", async () => {
    const { scene, call, goalOf } = await prepare();
    await call("create_goal", { objective: "ship it" });
    await scene.store.step(freshLife, null);
    expect(await goalOf()).toMatchObject({ objective: "ship it" });
    await scene.store.step(resetSession, { sessionKey: key(OWN), cause: "new", actor: "ann", archiveAfterMs: null });
    expect(await goalOf()).toBeNull();
  });
});
