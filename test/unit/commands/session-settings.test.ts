import { expect, it } from "vitest";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { groupKey } from "../bridge/door.ts";
import { bob, bobKey, Desk, inGroup } from "./desk.ts";

const models = {
  models: {
    providers: {
      demo: { type: "demo" },
      local: { type: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1", models: { big: {}, small: {} } },
    },
    aliases: { fast: "local/small" },
  },
};

describeOnEveryStore("settings of a session", (open) => {
  it("CM-6: /status is the card of the conversation's session", async () => {
    const desk = new Desk(await open());
    const card = await desk.ask("/status");
    expect(card).toContain("agent:main:telegram:direct:111");
    expect(card).toContain("demo/switchyard");
    expect(card).toContain("switchyard 1.2.3, idle");
  });

  it("CM-6: /model sets this session's model by alias or name, shows it and takes it back", async () => {
    const desk = new Desk(await open(), models);
    expect(await desk.ask("/model")).toBe("Model: demo/switchyard (default).");
    expect(await desk.ask("/model fast")).toBe("Model: local/small (set for this session).");
    expect((await desk.session()).modelOverride).toBe("local/small");
    expect(await desk.ask("/model status")).toBe("Model: local/small (set for this session).");
    expect(await desk.ask("/model default")).toBe(
      "This session uses its agent's model again. Model: demo/switchyard (default).",
    );
    expect((await desk.session()).modelOverride).toBeNull();
  });

  it("ST-30: /model names close models for one that is not there and changes nothing", async () => {
    const desk = new Desk(await open(), models);
    expect(await desk.ask("/model local/bug")).toBe('There is no model "local/bug". Did you mean local/big?');
    expect((await desk.session()).modelOverride).toBeNull();
  });

  it("ST-31: /model of one conversation leaves the others alone", async () => {
    const desk = new Desk(await open(), models);
    await desk.ask("/model fast");
    expect(
      await desk.ask("/model", { sender: bob, peer: { kind: "direct", id: "222", label: null } }, bobKey),
    ).toContain("(default)");
  });

  it("CM-6: in a group anyone can see the model and only admins can set it; others get no answer", async () => {
    const desk = new Desk(await open(), models);
    expect(await desk.ask("/model", inGroup(bob), groupKey)).toContain("(default)");
    expect(await desk.write("/model fast", inGroup(bob))).toBe("command");
    expect(await desk.answers(groupKey)).toEqual([]);
    expect((await desk.session(groupKey)).modelOverride).toBeNull();
    expect(await desk.ask("/model fast", inGroup(), groupKey)).toContain("local/small");
  });

  it("CM-6: /send sets, shows and takes back what an owner allows other sessions here; others may not", async () => {
    const desk = new Desk(await open(), { session: { sendPolicy: { default: "deny" } } });
    expect(await desk.ask("/send")).toBe("Other sessions cannot send messages here (set in session.sendPolicy).");
    expect(await desk.ask("/send on")).toBe("Other sessions can send messages here (set for this session).");
    expect((await desk.session()).sendPolicy).toBe("allow");
    expect(await desk.ask("/send off")).toBe("Other sessions cannot send messages here (set for this session).");
    expect(await desk.ask("/send inherit")).toContain("set in session.sendPolicy");
    expect((await desk.session()).sendPolicy).toBeNull();
    const asBob = { sender: bob, peer: { kind: "direct", id: "222", label: null } } as const;
    expect(await desk.ask("/send on", asBob, bobKey)).toContain("Only owners can use /send.");
  });

  it("CM-5: a native call without the right is told privately which list is missing", async () => {
    const desk = new Desk(await open(), models);
    await desk.write("", { ...inGroup(bob), kind: "command", command: { name: "model", args: "fast" } });
    expect(await desk.answers(groupKey)).toEqual([
      {
        text: "Only admins can set the model in a group (see commands.adminAllowFrom).",
        private: true,
        to: "-100555",
      },
    ]);
  });

  it("CM-6: /models lists by provider with aliases and the one in use", async () => {
    const desk = new Desk(await open(), models);
    const all = await desk.ask("/models");
    expect(all).toContain("demo/switchyard (in use here)");
    expect(all).toContain("local/big");
    expect(all).toContain("fast: local/small");
    expect(await desk.ask("/models local")).not.toContain("demo/switchyard");
    expect(await desk.ask("/models lcal")).toBe('There is no provider "lcal". Did you mean local?');
  });

  it("CM-6, FC-339: /models offers the demo only where an agent uses it", async () => {
    const agents = { defaults: { model: "local/big" }, entries: { main: { default: true, name: "Main" } } };
    const desk = new Desk(await open(), { ...models, agents });
    expect(await desk.ask("/models")).not.toContain("demo");
    expect(await desk.ask("/models demo")).toMatch(/^There is no provider "demo"/);
  });

  it("CM-6: /think and /reasoning set, show and take back", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/think")).toBe("Thinking: default.");
    expect(await desk.ask("/think high")).toBe("Thinking is now high.");
    expect(await desk.ask("/think")).toBe("Thinking: high (set for this session).");
    expect(await desk.ask("/think default")).toBe("Thinking is set by the agent again: default.");
    expect(await desk.ask("/think banana")).toBe("level must be one of: off, minimal, low, medium, high, default.");
    expect(await desk.ask("/reasoning on")).toBe("Reasoning is now shown.");
    expect((await desk.session()).showReasoning).toBe(true);
    expect(await desk.ask("/reasoning")).toBe("Reasoning is shown.");
    expect(await desk.ask("/reasoning off")).toBe("Reasoning is now hidden.");
  });

  it("CM-7: /think in front of a message applies to that message only", async () => {
    const desk = new Desk(await open());
    expect(await desk.write("/think high what is  the plan?")).toBe("accepted");
    const [input] = await desk.door.inputs();
    expect(input?.payload).toMatchObject({ text: "what is  the plan?", directives: { thinking: "high" } });
    expect((await desk.session()).thinking).toBeNull();
  });

  it("CM-6: /name is one line of at most 80 characters, found by search", async () => {
    const desk = new Desk(await open());
    expect(await desk.ask("/name")).toBe("This session has no name.");
    expect(await desk.ask("/name  Ops\n desk ")).toBe("This session is now called “Ops desk”.");
    expect(await desk.session()).toMatchObject({ displayName: "Ops desk" });
    expect(await desk.ask("/name")).toBe("This session's name is “Ops desk”.");
    expect(await desk.ask(`/name ${"x".repeat(81)}`)).toBe("A name can have at most 80 characters; this one has 81.");
    expect(await desk.session()).toMatchObject({ displayName: "Ops desk" });
  });

  it("TN-18: /context shows the parts with sizes and none of their text", async () => {
    const desk = new Desk(await open(), {
      agents: { entries: { main: { default: true, model: "demo/switchyard", instructions: "SECRET PLAN" } } },
    });
    const text = await desk.ask("/context");
    expect(text).toMatch(/instructions\s.*11/);
    expect(text).toContain("provenance");
    expect(text).not.toContain("SECRET");
    expect(text).toMatch(/About [\d,]+ of the 128,000 tokens/);
  });

  it("TP-3: /tools is the policy's own list, and verbose names the layer that removed each", async () => {
    const desk = new Desk(await open(), { tools: { deny: ["sessions_send"] } });
    expect(await desk.ask("/tools verbose")).toMatch(/sessions_send: tools\.deny/);
    expect(await desk.ask("/tools")).not.toContain("sessions_send");
  });

  it("CM-6: /whoami names the ids the access lists use, the session and the rights", async () => {
    const desk = new Desk(await open());
    const mine = await desk.ask("/whoami");
    expect(mine).toContain("telegram:111");
    expect(mine).toContain("owner");
    const his = await desk.ask("/whoami", inGroup(bob), groupKey);
    expect(his).toContain("telegram:222");
    expect(his).toContain("Rights: user");
    expect(his).toContain(groupKey);
  });
});
