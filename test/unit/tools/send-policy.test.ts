import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/core/session/session.ts";
import { sendDecision } from "../../../src/sessions/send-policy.ts";
import { setSessionSetting } from "../../../src/store/steps/sessions/set-session-setting.ts";
import { testConfig, testSettings } from "../../support/test-settings.ts";
import { openTestStore } from "../../support/test-store.ts";
import { key, ROUTE, ToolScene } from "./tool-scene.ts";

const A = "agent:main:discord:channel:1";
const B = "agent:main:discord:channel:2";
const policyOf = (sendPolicy: Record<string, unknown>) => testSettings({ session: { sendPolicy } }).session.sendPolicy;
const target = (text: string, more: Partial<Session> = {}) =>
  ({ key: key(text), channel: "discord", lastRoute: null, sendPolicy: null, ...more }) as const;

describe("session.sendPolicy", () => {
  const channels = { rules: [{ match: { channel: "discord", chatType: "channel" }, action: "deny" }] };

  it.each([
    ["a rule whose fields all match", channels, target(B), "deny"],
    ["a rule of another kind of chat", channels, target("agent:main:discord:direct:7"), "allow"],
    ["a rule of another channel", channels, target(B, { channel: "slack" }), "allow"],
    ["`/send on` over a rule", channels, target(B, { sendPolicy: "allow" }), "allow"],
    ["`/send off` over the default", {}, target(B, { sendPolicy: "deny" }), "deny"],
    ["the default", { default: "deny" }, target(B), "deny"],
    [
      "a matching deny before a matching allow, in whatever order they stand",
      {
        rules: [
          { match: { keyPrefix: "agent:main:" }, action: "allow" },
          { match: { chatType: "channel" }, action: "deny" },
        ],
      },
      target(B),
      "deny",
    ],
    [
      "a main session as a direct chat, by its last channel",
      { rules: [{ match: { channel: "discord", chatType: "direct" }, action: "deny" }] },
      target("agent:main:main", { channel: null, lastRoute: ROUTE }),
      "deny",
    ],
  ])("ST-22: %s decides", (_what, policy, session, action) => {
    expect(sendDecision(policyOf(policy), session).action).toBe(action);
  });

  it("OP-2, ST-22: a rule that matches everything and one for an unknown channel are faults", () => {
    const load = (match: Record<string, unknown>) => () =>
      testConfig({ session: { sendPolicy: { rules: [{ match, action: "deny" }] } } });
    expect(load({})).toThrow(/rules\[0\]\.match: matches every session/);
    expect(load({ channel: "discrod" })).toThrow(/rules\[0\]\.match\.channel: unknown channel/);
  });

  it("OP-2, ST-24: maxPingPongTurns is 5, and at most 20", () => {
    expect(testSettings().session.maxPingPongTurns).toBe(5);
    expect(() => testSettings({ session: { agentToAgent: { maxPingPongTurns: 21 } } })).toThrow(/maxPingPongTurns/);
  });

  it("ST-22: a session that takes no messages is refused by name of the setting; nothing is stored", async () => {
    const test = await openTestStore();
    const scene = new ToolScene(test, testSettings({ tools: { sessions: { visibility: "agent" } } }));
    await scene.session(A, { route: ROUTE });
    await scene.session(B);
    await scene.store.step(setSessionSetting, { key: key(B), setting: { name: "sendPolicy", value: "deny" } });
    const caller = await scene.turn(A);
    const { result } = await caller.call("sessions_send", { sessionKey: B, message: "x" });
    expect(result).toMatchObject({ status: "forbidden", hint: expect.stringContaining("session.sendPolicy") });
    await expect(scene.next(B)).rejects.toThrow("nothing waits");
    await test.dispose();
  });
});
