import { expect, it } from "vitest";
import { defineStep } from "../../../src/store/store.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore, type openTestStore } from "../../support/test-store.ts";
import { key, ToolScene } from "./tool-scene.ts";

const OWN = "agent:main:slack:channel:C01";
const settings = testSettings({ tools: { sessions: { visibility: "agent" } } });

async function scene(test: Awaited<ReturnType<typeof openTestStore>>): Promise<ToolScene> {
  const made = new ToolScene(test, settings);
  await made.session(OWN, { label: "ops" });
  await made.session("agent:main:slack:channel:C02", { label: "twin" });
  await made.session("agent:main:slack:channel:C03", { label: "twin" });
  return made;
}

async function keyOf(made: ToolScene, args: { sessionKey?: string; label?: string; agentId?: string }) {
  const { result } = await (await made.turn(OWN)).call("sessions_send", { message: "hi", timeoutSeconds: 0, ...args });
  return result;
}

const alias = defineStep("test-alias", "normal", async ({ db }, input: { from: string; to: string }) => {
  await db.insertInto("session_aliases").values({ old_key: input.from, new_key: input.to }).execute();
});

describeOnEveryStore("session references", (open) => {
  it("SK-6: key, session id, former key and `main` all lead to the session", async () => {
    const made = await scene(await open());
    const other = await made.read("agent:main:slack:channel:C02");
    await made.store.step(alias, { from: "agent:main:slack:channel:OLD", to: other.key });
    expect((await keyOf(made, { sessionKey: other.sessionId })).sessionKey).toBe(other.key);
    const caller = await made.turn("agent:main:slack:channel:C03");
    const status = async (sessionKey: string) => (await caller.call("session_status", { sessionKey })).result;
    expect(await status("agent:main:slack:channel:OLD")).toMatchObject({ details: { sessionKey: other.key } });
    expect(await status("current")).toMatchObject({ details: { sessionKey: "agent:main:slack:channel:C03" } });
    expect(await status("main")).toMatchObject({ details: { sessionKey: "agent:main:main" } });
  });

  it("SK-3: a key that differs by case only is an error that names the real key, and makes no session", async () => {
    const made = await scene(await open());
    const { result } = await (await made.turn(OWN)).call("sessions_history", {
      sessionKey: "agent:main:slack:channel:c02",
    });
    expect(result.status).toBe("error");
    expect(result.error).toContain("agent:main:slack:channel:C02");
    await expect(made.read("agent:main:slack:channel:c02")).rejects.toThrow("no session");
  });

  it("FC-167: the key wins over a stale label, a label over the agent, an agent alone is its main session", async () => {
    const made = await scene(await open());
    const caller = await made.turn(OWN);
    const send = async (args: { sessionKey?: string; label?: string; agentId?: string }) =>
      (await caller.call("sessions_send", { message: "hi", timeoutSeconds: 0, ...args })).result;
    expect(await send({ sessionKey: "agent:main:slack:channel:C02", label: "stale", agentId: "nobody" })).toMatchObject(
      {
        status: "accepted",
        sessionKey: "agent:main:slack:channel:C02",
      },
    );
    expect(await send({ agentId: "main" })).toMatchObject({ status: "accepted", sessionKey: "agent:main:main" });
    expect(await send({ label: "stale", agentId: "main" })).toMatchObject({ status: "forbidden" });
    expect(await send({})).toMatchObject({ status: "error", error: "no session was named" });
  });

  it("ST-22: a label that fits two sessions names both; an archived namesake does not count", async () => {
    const made = await scene(await open());
    const caller = await made.turn(OWN);
    const send = async () =>
      (await caller.call("sessions_send", { label: "twin", message: "hi", timeoutSeconds: 0 })).result;
    const refused = await send();
    expect(refused.error).toContain("agent:main:slack:channel:C02");
    expect(refused.error).toContain("agent:main:slack:channel:C03");
    await made.archive("agent:main:slack:channel:C03");
    expect(await send()).toMatchObject({ status: "accepted", sessionKey: "agent:main:slack:channel:C02" });
  });

  it("FC-160: `parent` is the spawner, and a root session has none", async () => {
    const made = await scene(await open());
    await made.session("agent:main:subagent:1", { spawnedBy: key(OWN), depth: 1 });
    const root = await (await made.turn(OWN)).call("sessions_history", { sessionKey: "parent" });
    expect(root.result.error).toBe("this session has no parent: nothing spawned it");
    const child = await (await made.turn("agent:main:subagent:1")).call("sessions_history", { sessionKey: "parent" });
    expect(child.result).toMatchObject({ status: "ok", sessionKey: OWN });
  });

  it.each(["last", "ALL", "global", "unknown"])("SK-6: the reserved word %s is refused", async (word) => {
    const made = await scene(await open());
    const { result } = await (await made.turn(OWN)).call("sessions_history", { sessionKey: word });
    expect(result.error).toContain("reserved word");
  });

  it("FC-166: a malformed key is an error like a hidden one and makes no session", async () => {
    const made = await scene(await open());
    const { result } = await (await made.turn(OWN)).call("sessions_send", {
      sessionKey: "agent:b:telegram:b:direct:1",
      message: "hi",
    });
    expect(result).toMatchObject({ status: "forbidden" });
    expect(result.error).toBe('no session "agent:b:telegram:b:direct:1" that this session may see');
    await expect(made.read("agent:b:telegram:b:direct:1")).rejects.toThrow("no session");
  });
});
