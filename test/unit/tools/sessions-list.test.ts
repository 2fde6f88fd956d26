import { expect, it } from "vitest";
import { setSessionSetting } from "../../../src/store/steps/sessions/set-session-setting.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { assistant, key, ROUTE, ToolScene, user } from "./tool-scene.ts";

const OWN = "agent:main:discord:channel:1";
const settings = testSettings({
  tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["*"] } },
});

type Row = { key: string; [name: string]: unknown };
function rows(result: { sessions?: unknown }): Row[] {
  return result.sessions as Row[];
}

describeOnEveryStore("sessions_list", (open) => {
  it("ST-2: a row names the session, its model, status, tokens, route, parent and children", async () => {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN, { label: "Ops", route: ROUTE });
    await scene.session("agent:main:subagent:a", { spawnedBy: key(OWN), depth: 1 });
    const caller = await scene.turn(OWN);
    const { result } = await caller.call("sessions_list", {});
    expect(result).toMatchObject({ status: "ok", count: 2, hasMore: false });
    expect(rows(result).find((row) => row.key === OWN)).toMatchObject({
      ...{
        agentId: "main",
        kind: "group",
        channel: "discord",
        label: "Ops",
        model: "demo/switchyard",
        status: "running",
      },
      ...{ totalTokens: 0, contextTokens: 0 },
      ...{ lastChannel: "discord", lastTo: "c1", childSessions: ["agent:main:subagent:a"] },
    });
    expect(rows(result).find((row) => row.key !== OWN)).toMatchObject({ kind: "other", channel: null, spawnedBy: OWN });
  });

  it("ST-1: kinds, label, agent, search, activity, archived, pinned and spawnedBy filter; search takes % and _ as they are", async () => {
    const test = await open();
    const scene = new ToolScene(test, settings);
    await scene.session("agent:main:discord:channel:2", { label: "Straße 100%" });
    test.clock.advance(3_600_000);
    await scene.session(OWN, { label: "Ops" });
    await scene.session("agent:main:subagent:a", { spawnedBy: key(OWN), depth: 1 });
    await scene.session("agent:coder:main");
    await scene.archive("agent:coder:main");
    const caller = await scene.turn(OWN);
    const keys = async (args: Parameters<typeof caller.call>[1]) =>
      rows((await caller.call("sessions_list", args)).result).map((row) => row.key);
    expect(await keys({ kinds: ["other"] })).toEqual(["agent:main:subagent:a"]);
    expect(await keys({ label: "Ops" })).toEqual([OWN]);
    expect(await keys({ label: "ops" })).toEqual([]);
    expect(await keys({ agentId: "coder" })).toEqual([]);
    expect(await keys({ agentId: "coder", archived: true })).toEqual(["agent:coder:main"]);
    expect(await keys({ archived: "all" })).toHaveLength(4);
    expect(await keys({ search: "STRAßE 100%" })).toEqual(["agent:main:discord:channel:2"]);
    expect(await keys({ search: "1__%" })).toEqual([]);
    expect(await keys({ activeMinutes: 30, kinds: ["group"] })).toEqual([OWN]);
    expect(await keys({ pinned: true })).toEqual([]);
    expect(await keys({ spawnedBy: "current" })).toEqual(["agent:main:subagent:a"]);
  });

  it("ST-2, ST-4: pages by offset, newest first, and misses no row when the size cap cuts", async () => {
    const test = await open();
    const scene = new ToolScene(test, settings);
    await scene.session(OWN);
    for (let at = 0; at < 60; at += 1) {
      const text = `agent:main:discord:channel:9${at}`;
      test.clock.advance(1_000);
      await scene.session(text);
      await scene.write(text, [user(`${at} ${"x".repeat(3_000)}`)]);
    }
    const caller = await scene.turn(OWN);
    const seen: string[] = [];
    let offset = 0;
    for (let pages = 0; pages < 20; pages += 1) {
      const { result } = await caller.call("sessions_list", { limit: 50, messageLimit: 20, offset });
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024);
      seen.push(...rows(result).map((row) => row.key));
      if (result.hasMore !== true) break;
      offset = result.nextOffset as number;
    }
    expect(seen).toHaveLength(61);
    expect(new Set(seen).size).toBe(61);
    expect(seen.indexOf("agent:main:discord:channel:959")).toBeLessThan(seen.indexOf("agent:main:discord:channel:90"));
  });

  it("ST-3: titles and previews are sanitised, masked and 160 characters long", async () => {
    const scene = new ToolScene(await open(), testSettings({ tools: { sessions: { visibility: "agent" } } }));
    await scene.session(OWN);
    await scene.session("agent:main:discord:channel:2");
    await scene.write("agent:main:discord:channel:2", [
      user("[Message from Ann (discord:7), 2026-01-01 12:00]\nHow do I deploy?"),
      assistant(`<think>secret plan</think>Use password=hunter22222 ${"y".repeat(400)}`),
    ]);
    const { result } = await (await scene.turn(OWN)).call("sessions_list", {
      includeDerivedTitles: true,
      includeLastMessage: true,
      messageLimit: 1,
    });
    const row = rows(result).find((one) => one.key !== OWN);
    expect(row?.title).toBe("How do I deploy?");
    expect(row?.lastMessage).toMatch(/^Use password=\[redacted:password\] y+…$/);
    expect(String(row?.lastMessage)).toHaveLength(160);
    expect(JSON.stringify(row)).not.toContain("secret plan");
    expect(row?.messages).toHaveLength(1);
  });

  it("VS-2, VS-3: under `tree` hidden sessions count nowhere, and the result says what it does not show", async () => {
    const scene = new ToolScene(await open(), testSettings({}));
    await scene.session(OWN);
    for (let at = 0; at < 5; at += 1) await scene.session(`agent:main:discord:direct:${at}`, { label: "Annette" });
    const caller = await scene.turn(OWN);
    const all = await caller.call("sessions_list", { limit: 1 });
    expect(all.result).toMatchObject({ count: 1, hasMore: false, visibility: { mode: "tree" } });
    expect((await caller.call("sessions_list", { search: "annette" })).result).toMatchObject({
      count: 0,
      hasMore: false,
    });
  });

  it("VS-2: children of another agent's session are named only to those who may see them", async () => {
    const config = testSettings({
      agents: { defaults: { model: "demo/switchyard" }, entries: { main: { default: true }, coder: {} } },
      tools: { sessions: { visibility: "agent" } },
    });
    const scene = new ToolScene(await open(), config);
    await scene.session(OWN);
    await scene.session("agent:main:discord:channel:2");
    await scene.session("agent:coder:subagent:x", { spawnedBy: key("agent:main:discord:channel:2"), depth: 1 });
    const { result } = await (await scene.turn(OWN)).call("sessions_list", {});
    expect(JSON.stringify(result)).not.toContain("agent:coder");
  });

  it("VS-2, ST-2: who spawned a session is named only to those who may see that one; a session knows its own parent", async () => {
    const config = testSettings({
      agents: { defaults: { model: "demo/switchyard" }, entries: { main: { default: true }, coder: {} } },
      tools: { sessions: { visibility: "agent" } },
    });
    const scene = new ToolScene(await open(), config);
    await scene.session(OWN);
    await scene.session("agent:coder:main");
    await scene.session("agent:main:subagent:x", { spawnedBy: key("agent:coder:main"), depth: 1 });
    await scene.session("agent:main:subagent:y", { spawnedBy: key(OWN), depth: 1 });
    const parents = async (viewer: string) => {
      const { result } = await (await scene.turn(viewer)).call("sessions_list", { kinds: ["other"] });
      return new Map(rows(result).map((row) => [row.key, row.spawnedBy]));
    };
    const seen = await parents(OWN);
    expect(seen.get("agent:main:subagent:x")).toBeUndefined();
    expect(seen.get("agent:main:subagent:y")).toBe(OWN);
    expect((await parents("agent:main:subagent:x")).get("agent:main:subagent:x")).toBe("agent:coder:main");
  });

  it("ST-1, FC-167: a filter that is filled with nothing filters nothing; case and marks of `search` do not matter", async () => {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN, { label: "Ünïque Ops" });
    const caller = await scene.turn(OWN);
    const { result } = await caller.call("sessions_list", { label: "", agentId: " ", search: "", kinds: [] });
    expect(result).toMatchObject({ count: 1 });
    expect((await caller.call("sessions_list", { search: " ÜNÏQUE " })).result).toMatchObject({ count: 1 });
  });

  it("ST-2, ST-3: the last message is the last that says something, however many steps followed it", async () => {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN);
    const step = { type: "tool_call", callId: "1", name: "exec", args: { type: "text" }, providerData: null } as const;
    const silent = { ...assistant(""), parts: [step] };
    await scene.write(OWN, [
      user(
        "[Historical context: written here since your last turn, not addressed to you]\n> Bob: hi\n[Message from Ann (discord:7), 2026-01-01 12:00]\nFirst words",
      ),
      assistant(`Last words ${"😀".repeat(600)}`),
      ...Array.from({ length: 30 }, () => silent),
      assistant("<think>only thoughts</think>"),
    ]);
    await scene.session("agent:main:discord:channel:2");
    const caller = await scene.turn("agent:main:discord:channel:2");
    const { result } = await caller.call("sessions_list", {
      includeDerivedTitles: true,
      includeLastMessage: true,
      messageLimit: 1,
      search: OWN,
    });
    const [row] = rows(result);
    expect(row).toMatchObject({ title: "First words", lastMessage: expect.stringMatching(/^Last words (?:😀)+…$/u) });
    expect(row?.messages).toEqual([expect.objectContaining({ text: expect.stringMatching(/^Last words (?:😀)+…$/u) })]);
  });

  it("ST-2: status says what a session does: it runs, an input waits, or nothing does", async () => {
    const scene = new ToolScene(await open(), settings);
    const [waiting, idle] = ["agent:main:discord:channel:2", "agent:main:discord:channel:3"];
    for (const text of [OWN, waiting, idle]) await scene.session(text);
    const caller = await scene.turn(OWN);
    await caller.call("sessions_send", { sessionKey: waiting, message: "hi", timeoutSeconds: 0 });
    const { result } = await caller.call("sessions_list", {});
    const status = new Map(rows(result).map((row) => [row.key, row.status]));
    expect([OWN, waiting, idle].map((text) => status.get(text))).toEqual(["running", "queued", "idle"]);
  });

  it("FC-236, SK-6: the name of /name is found by label and search, and main is there before anybody wrote to it", async () => {
    const scene = new ToolScene(await open(), settings);
    await scene.session(OWN);
    const caller = await scene.turn(OWN);
    await scene.store.step(setSessionSetting, {
      key: key(OWN),
      setting: { name: "displayName", value: "Night watch" },
    });
    for (const found of [{ label: "Night watch" }, { search: "night" }])
      expect(rows((await caller.call("sessions_list", found)).result).map((row) => row.key)).toEqual([OWN]);
    const mains = await caller.call("sessions_list", { kinds: ["main"] });
    expect(rows(mains.result).map((row) => row.key)).toEqual(["agent:main:main"]);
  });
});
