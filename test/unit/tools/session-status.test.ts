import { expect, it } from "vitest";
import type { Rights } from "../../../src/core/session/rights.ts";
import { logStateEvent } from "../../../src/store/parts/session-log.ts";
import { stateChanges } from "../../../src/store/reads/sessions/targets.ts";
import { defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene, USER } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const settings = testSettings({ tools: { sessions: { visibility: "agent" }, deny: ["sessions_send"] } });

const note = defineStep("test-note", "normal", (context, sessionKey: string) =>
  logStateEvent(context, {
    sessionKey: key(sessionKey),
    kind: "bound",
    actorType: "human",
    actor: "ann",
    runId: null,
    summary: "Bound",
    payload: {},
  }),
);
const prune = defineStep("test-prune", "normal", async ({ db }, sequence: number) => {
  await db.deleteFrom("state_events").where("sequence", "=", sequence).execute();
});

interface Details {
  readonly details: {
    readonly sessionKey: string;
    readonly sessionId: string;
    readonly tools?: readonly string[];
    readonly removedTools?: readonly { readonly tool: string; readonly layer: string }[];
    readonly stateVersion: number;
    readonly route: unknown;
  };
  readonly card: string;
}

describeOnEveryStore("session_status", (open) => {
  async function prepare() {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN, { route: ROUTE });
    const caller = await scene.turn(OWN, { route: ROUTE });
    const status = async (args: Parameters<typeof caller.call>[1] = {}) =>
      (await caller.call("session_status", args)).result as unknown as Details & { [name: string]: unknown };
    return { scene, caller, status };
  }

  it("ST-30: card and details of the current session, with exactly the tools it has (TP-3)", async () => {
    const { status } = await prepare();
    const { details, card } = await status();
    expect(details).toMatchObject({ sessionKey: OWN, stateVersion: expect.any(Number) });
    for (const said of [
      "**Agent:** Main (main)",
      "switchyard 1.2.3, running",
      "`demo/switchyard` (default)",
      "steer, 0 waiting",
    ]) {
      expect(card).toContain(said);
    }
    // FC-234: nothing is said in both.
    for (const value of [details.sessionKey, details.sessionId, "sessions_list"]) expect(card).not.toContain(value);
    expect(details.tools).toContain("sessions_list");
    expect(details.tools).not.toContain("sessions_send");
    expect(details.removedTools).toContainEqual({ tool: "sessions_send", layer: "tools.deny" });
  });

  it("ST-30, ST-31: model sets this session only, `default` clears it, an unknown one names close ones", async () => {
    const { scene, status } = await prepare();
    await scene.session("agent:main:discord:channel:2");
    expect((await status({ model: "demo/switchyard" })).card).toContain("`demo/switchyard` (set for this session)");
    expect((await scene.read("agent:main:discord:channel:2")).modelOverride).toBeNull();
    await status({ model: "default" });
    expect((await scene.read(OWN)).modelOverride).toBeNull();
    expect(await status({ model: "demmo/switchyard" })).toMatchObject({
      status: "error",
      hint: expect.stringContaining("demo/switchyard"),
    });
  });

  it("ST-30, CM-13: in a group only an admin's turn sets a model, as with /model; in a direct conversation anybody's", async () => {
    const { scene } = await prepare();
    await scene.session("agent:main:discord:channel:3");
    const group = { channel: "discord", accountId: "default", id: "1", formerId: null, guildId: "9", topicId: null };
    const direct = "agent:main:discord:direct:7";
    await scene.session(direct);
    const set = async (session: string, rights: Rights, target = "current") => {
      const caller = await scene.turn(session, { rights });
      const { result } = await caller.call("session_status", { sessionKey: target, model: "demo/switchyard" });
      await caller.end("reply", "ok");
      return result.status;
    };
    expect(await set("agent:main:discord:channel:3", { ...USER, group })).toBe("forbidden");
    // What a plain user asks for elsewhere reaches no further.
    expect(await set(direct, USER, OWN)).toBe("forbidden");
    expect((await scene.read(OWN)).modelOverride).toBeNull();
    expect(await set("agent:main:discord:channel:3", { ...USER, role: "admin", group })).toBe("ok");
    expect(await set(direct, USER)).toBe("ok");
    expect((await scene.read(direct)).modelOverride).toBe("demo/switchyard");
  });

  it("ST-32: origin, the route of the turn in progress, and where later delivery goes", async () => {
    const { scene, status } = await prepare();
    const route = { channel: "discord", accountId: "default", to: "c1" };
    const { details } = await status();
    expect(details.route).toEqual({ origin: route, active: route, deliveryContext: route });
    await scene.session("agent:main:slack:channel:C9");
    expect((await status({ sessionKey: "agent:main:slack:channel:C9" })).details.route).toEqual({
      origin: { channel: "slack" },
      active: null,
      deliveryContext: null,
    });
  });

  it("ST-32: `active` is the route of a live run only; the stored ones stay when it ended", async () => {
    const { scene, caller } = await prepare();
    const other = "agent:main:discord:channel:2";
    await scene.session(other, { route: { ...ROUTE, to: "c2", threadId: "t9" } });
    const live = await scene.turn(other, { route: { ...ROUTE, to: "c3" } });
    const routes = async () => {
      const { result } = await caller.call("session_status", { sessionKey: other });
      return (result.details as { route: unknown }).route;
    };
    const stored = { channel: "discord", accountId: "default", to: "c2", threadId: "t9" };
    const active = { channel: "discord", accountId: "default", to: "c3" };
    expect(await routes()).toMatchObject({ origin: stored, active });
    await live.end("reply", "ok");
    expect(await routes()).toMatchObject({ origin: stored, active: null });
  });

  it("FC-422: more changes than fit are read on, each once and none torn", async () => {
    const { scene, caller } = await prepare();
    for (let at = 0; at < 230; at += 1) await scene.store.step(note, OWN);
    const { stateVersion } = await scene.read(OWN);
    const seen: number[] = [];
    const pages: boolean[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { result } = await caller.call("session_status", { changesSince: after });
      expect(result).not.toHaveProperty("truncated");
      const changes = result.stateChanges as unknown as {
        readonly events: readonly { readonly sequence: number }[];
        readonly historyGap: boolean;
        readonly hasMore: boolean;
        readonly nextChangesSince?: number;
      };
      expect(changes.historyGap).toBe(false);
      seen.push(...changes.events.map(({ sequence }) => sequence));
      pages.push(changes.hasMore);
      after = changes.nextChangesSince;
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.at(-1)).toBe(false);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThanOrEqual(230);
    expect(seen.at(-1)).toBe(stateVersion);
  });

  it("ST-30: counts what waits and what runs, and other sessions' tools are not told", async () => {
    const { scene, status, caller } = await prepare();
    const other = "agent:main:discord:channel:2";
    await scene.session(other);
    const sender = await scene.turn(other);
    await caller.call("sessions_spawn", { task: "look" });
    const own = await status();
    expect(own.card).toContain("**Sub-agents:** 1 running");
    expect(own.card).toContain("0 waiting");
    const { result } = await sender.call("session_status", { sessionKey: OWN });
    expect(result).toMatchObject({
      details: { sessionKey: OWN },
      card: expect.stringContaining("**Sub-agents:** 1 running"),
    });
    expect(result.details).not.toHaveProperty("tools");
  });

  it("ST-33, SL-5: changesSince gives what happened after a version, and a gap exactly when some of it was pruned", async () => {
    const { scene, status } = await prepare();
    const before = (await status()).details.stateVersion;
    const first = await scene.store.step(note, OWN);
    const second = await scene.store.step(note, OWN);
    const changed = await status({ changesSince: before });
    expect(changed.details.stateVersion).toBe(second);
    expect(changed.stateChanges).toMatchObject({
      events: [{ sequence: first, kind: "bound" }, { sequence: second }],
      historyGap: false,
    });
    await scene.store.step(prune, first);
    expect(await status({ changesSince: before })).toMatchObject({ stateChanges: { events: [{}], historyGap: true } });
    expect(await status({ changesSince: first })).toMatchObject({ stateChanges: { events: [{}], historyGap: false } });
    await scene.store.step(prune, second);
    const after = (version: number) =>
      scene.store.read(stateChanges, { sessionKey: key(OWN), after: version, stateVersion: second });
    expect(await after(first)).toEqual({ events: [], historyGap: true });
    expect(await after(second)).toEqual({ events: [], historyGap: false });
  });

  it("TP-4, FC-106, FC-236: a sub-agent sees and changes nothing beyond its own tree, and sets no model", async () => {
    const { scene } = await prepare();
    await scene.session("agent:main:subagent:1", { spawnedBy: key(OWN), depth: 1 });
    await scene.session("agent:main:subagent:2", { spawnedBy: key("agent:main:subagent:1"), depth: 2 });
    const child = await scene.turn("agent:main:subagent:1", { rights: USER });
    const status = async (args: Parameters<typeof child.call>[1]) => (await child.call("session_status", args)).result;
    const parentId = (await scene.read(OWN)).sessionId;
    expect(await status({ sessionKey: parentId, model: "demo/switchyard" })).toMatchObject({ status: "forbidden" });
    expect(await status({ sessionKey: "agent:main:subagent:2" })).toMatchObject({ status: "ok" });
    expect(await status({ sessionKey: "agent:main:subagent:2", model: "demo/switchyard" })).toMatchObject({
      status: "forbidden",
    });
    expect(await status({ model: "demo/switchyard" })).toMatchObject({ status: "forbidden" });
    expect(await status({})).toMatchObject({ status: "ok" });
  });
});
