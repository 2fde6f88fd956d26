import { expect, it } from "vitest";
import { createSuggest } from "../../../src/bridge/accept/accept.ts";
import type { SuggestionKind } from "../../../src/channel/capabilities.ts";
import { COMMANDS } from "../../../src/commands/registry.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { bob, Desk } from "./desk.ts";

const bobHere: EventSketch = { sender: bob, peer: { kind: "direct", id: "222", label: null } };
const stranger: EventSketch = { sender: { id: "333", name: "Cleo" }, peer: { kind: "direct", id: "333", label: null } };

describeOnEveryStore("proposals for arguments", (open) => {
  function asker(desk: Desk) {
    const suggest = createSuggest({ ...desk.door.deps, commands: COMMANDS });
    const [account] = desk.door.settings.accounts.filter(({ channel }) => channel === "telegram");
    if (account === undefined) throw new Error("no account");
    return async (name: string, kind: SuggestionKind, typed: string, sketch: EventSketch = {}) =>
      (
        await suggest(
          { event: sketchEvent({ ...sketch, kind: "command", command: { name, args: "" } }), kind, typed },
          account,
        )
      ).map(({ value }) => value);
  }

  it("CM-12: only sub-agents of the caller's session are suggested, by run", async () => {
    const desk = new Desk(await open());
    const ask = asker(desk);
    await desk.ask("/subagents spawn look for ants");
    expect(await ask("kill", "sub-agent", "ANTS")).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const [run] = await ask("kill", "sub-agent", "");
    expect(await ask("kill", "sub-agent", "bees")).toEqual([]);
    expect(await ask("kill", "sub-agent", "", bobHere)).toEqual([]);
    expect(await desk.ask(`/kill ${run}`)).toContain("was stopped by you");
  });

  it("CM-12: sessions are proposed to those who may list them, and to strangers nothing", async () => {
    const desk = new Desk(await open());
    const ask = asker(desk);
    await desk.write("hello", bobHere);
    await desk.ask("/name Front desk");
    expect(await ask("sessions", "session", "")).toHaveLength(2);
    expect(await ask("sessions", "session", "front")).toEqual(["agent:main:telegram:direct:111"]);
    expect(await ask("sessions", "session", "", bobHere)).toEqual([]);
    expect(await ask("model", "model", "demo", bobHere)).toEqual(["demo/switchyard"]);
    expect(await ask("model", "model", "demo", stranger)).toEqual([]);
    expect(await desk.door.inputs()).toHaveLength(2);
  });

  it("CM-8, CM-12: who may use no commands is proposed nothing", async () => {
    const desk = new Desk(await open(), { commands: { ownerAllowFrom: ["telegram:111"], allowFrom: [] } });
    expect(await asker(desk)("model", "model", "", bobHere)).toEqual([]);
    expect(await asker(desk)("model", "model", "")).toEqual(["demo/switchyard"]);
  });
});
