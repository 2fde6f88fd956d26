import { expect, it } from "vitest";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import { bindingHere } from "../../../src/store/reads/runs/bindings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, group, groupKey } from "../bridge/door.ts";
import { bob, Desk } from "./desk.ts";

const route: Route = { channel: "telegram", accountId: "default", to: group.id, threadId: "9" };
const inTopic = {
  peer: group,
  thread: { kind: "topic", id: "9", label: null },
  route,
  mentions: { bot: true },
} as const;
const topicKey = `${groupKey}:topic:9`;

describeOnEveryStore("binding a thread by command", (open) => {
  async function withSubAgent() {
    const desk = new Desk(await open());
    await desk.ask("/subagents spawn --label scout look", inTopic, topicKey);
    return desk;
  }
  const bound = (desk: Desk) => desk.test.store.read(bindingHere, route);

  it("TB-5, CM-6: /focus binds the thread to a session of the tree; in a group only admins may", async () => {
    const desk = await withSubAgent();
    await desk.write("/focus scout", { ...inTopic, sender: bob });
    expect(await desk.answers(topicKey)).toEqual([]);
    expect(await bound(desk)).toBeNull();
    expect(await desk.ask("/focus scout", inTopic, topicKey)).toMatch(
      /Reply in this thread to talk to scout\. The link expires after 24 h without a message\./,
    );
    const child = (await bound(desk))?.sessionKey ?? "";
    expect(child).toMatch(/^agent:main:subagent:/);
    expect(await desk.ask("/session", inTopic, child)).toBe(
      `Linked to ${child}. Expires without messages after: 24 h. Expires in any case after: off.`,
    );
    expect(await desk.ask("/session max-age 2h", inTopic, child)).toBe(
      "Expires without messages after: 24 h. Expires in any case after: 2 h.",
    );
    expect(await desk.ask("/session idle off", inTopic, child)).toBe(
      "Expires without messages after: off. Expires in any case after: 2 h.",
    );
    expect(await desk.ask("/session idle soon", inTopic, child)).toMatch(/"soon" is not a valid duration/);
    expect(await desk.ask("/session unbind", inTopic, child)).toContain("is unlinked");
    expect(await bound(desk)).toBeNull();
  });

  it("TB-5: a session of another tree looks like one that does not exist", async () => {
    const desk = await withSubAgent();
    const answer = await desk.ask("/focus scout", {}, annKey);
    expect(answer).toMatch(/No sub-agent "scout" in this session's tree/);
  });

  it("TB-1: outside of a thread, where none can be made, it says so and binds nothing", async () => {
    const desk = new Desk(await open());
    await desk.ask("/subagents spawn --label scout look");
    expect(await desk.ask("/focus scout")).toMatch(/^No thread can be made here/);
    expect(await desk.ask("/subagents spawn --thread --label other look")).toMatch(/^No thread can be made here/);
    expect(await desk.ask("/unfocus")).toBe("This thread isn't linked to a sub-agent.");
  });
});
