import { expect, it } from "vitest";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import { beginTurn } from "../../../src/store/steps/turns/begin-turn.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { asStored } from "../../support/present-access.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { Door, doorConfig, group, groupKey } from "./door.ts";

const routeOf = (to: string, threadId: string | null = null): Route => ({
  channel: "telegram",
  accountId: "default",
  to,
  threadId,
});

async function nextTurn(door: Door, key: string) {
  const begun = await door.test.store.step(beginTurn, {
    sessionKey: key as SessionKey,
    turnId: crypto.randomUUID(),
    policy: () => ({ mode: () => "steer", signature: (rights) => rights.role, presentAccess: asStored, quietMs: 500 }),
    chains: testSettings().session.chains,
    toMessage: (item) => ({ role: "user", parts: [], provenance: item.provenance, usage: null }),
  });
  if (begun.result === "nothing" || begun.result === "later") throw new Error(`nothing waits for ${key}`);
  const { turn } = begun;
  const end = () =>
    door.test.store.step(endTurn, {
      turnId: turn.id,
      fence: turn.fence,
      outcome: "silent",
      error: null,
      message: null,
      deliveries: [],
      text: null,
      yielded: null,
      failure: null,
      archiveAfterMs: null,
    });
  return { source: turn.source, end };
}

describeOnEveryStore("where an answer goes", (open) => {
  it("TN-15, FC-140: in a session that two chats share each message is answered where it was written, oldest first", async () => {
    const telegram = { ...doorConfig, channels: { telegram: { botToken: "9:test-token", allowFrom: ["111", "222"] } } };
    const door = new Door(await open(), { ...telegram, session: { dmScope: "main" } });
    const from = (id: string, messageId: string) =>
      door.offer({ messageId, sender: { id }, peer: { kind: "direct", id, label: null }, route: routeOf(id) });
    await from("111", "1");
    await from("222", "2");
    await from("111", "3");
    const first = await nextTurn(door, "agent:main:main");
    expect(first.source).toMatchObject({ kind: "event", route: routeOf("111"), replyTo: "3" });
    await first.end();
    const second = await nextTurn(door, "agent:main:main");
    expect(second.source).toMatchObject({ kind: "event", route: routeOf("222"), replyTo: "2" });
  });

  it("TN-15, FC-039: a message in a topic is answered in that topic, whatever was written elsewhere meanwhile", async () => {
    const door = new Door(await open(), doorConfig);
    const inTopic = (id: string, messageId: string) =>
      door.offer({
        messageId,
        peer: group,
        thread: { kind: "topic", id, label: null },
        route: routeOf(group.id, id),
        mentions: { bot: true },
      });
    await inTopic("31", "1");
    const turn = await nextTurn(door, `${groupKey}:topic:31`);
    await inTopic("55", "2");
    expect(turn.source).toMatchObject({ route: routeOf(group.id, "31"), replyTo: "1" });
    expect((await nextTurn(door, `${groupKey}:topic:55`)).source).toMatchObject({ route: routeOf(group.id, "55") });
  });
});
