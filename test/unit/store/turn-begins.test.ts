import { expect, it } from "vitest";
import type { NewMessage } from "../../../src/core/message/transcript.ts";
import type { MergePolicy } from "../../../src/core/message/turn-inputs.ts";
import type { SessionKey } from "../../../src/core/session/session-key.ts";
import type { ToMessage } from "../../../src/store/parts/transcript.ts";
import { appendMessage } from "../../../src/store/steps/turns/append-message.ts";
import { beginTurn } from "../../../src/store/steps/turns/begin-turn.ts";
import { endTurn } from "../../../src/store/steps/turns/end-turn.ts";
import { interruptTurn } from "../../../src/store/steps/turns/interrupt-turn.ts";
import { steerIn } from "../../../src/store/steps/turns/steer-in.ts";
import { asStored } from "../../support/present-access.ts";
import { testSettings } from "../../support/test-settings.ts";
import { describeOnEveryStore } from "../../support/test-store.ts";
import { annKey, Door, doorConfig } from "../bridge/door.ts";

const sessionKey = annKey as SessionKey;
const policy: MergePolicy = { mode: () => "followup", signature: () => "", presentAccess: asStored, quietMs: 500 };
const toMessage: ToMessage = (item) => ({ role: "user", parts: [], provenance: item.provenance, usage: null });
const said: NewMessage = {
  role: "assistant",
  parts: [{ type: "text", text: "so far" }],
  provenance: { kind: "assistant", agentId: "main", model: "demo/switchyard" },
  usage: null,
};

const { chains } = testSettings().session;

describeOnEveryStore("a turn that is begun again", (open) => {
  async function prepare() {
    const door = new Door(await open(), doorConfig);
    const { store } = door.test;
    await door.offer({ messageId: "1" });
    const begin = async () => {
      const begun = await store.step(beginTurn, {
        sessionKey,
        turnId: crypto.randomUUID(),
        policy: () => policy,
        toMessage,
        chains,
      });
      if (begun.result === "nothing" || begun.result === "later") throw new Error("nothing waits");
      return begun;
    };
    return { door, store, begin };
  }

  it("TN-2: begun three times without a new stored step it is given up, also while messages wait behind it", async () => {
    const { door, store, begin } = await prepare();
    const results: string[] = [];
    for (let times = 0; times < 4; times += 1) {
      const { result, turn } = await begin();
      results.push(result);
      await door.offer({ messageId: String(times + 2) });
      const skipped: readonly NewMessage[] = [];
      const look = { turnId: turn.id, fence: turn.fence, sessionKey, policy, toMessage, skipped };
      expect(await store.step(steerIn, look)).toEqual([]);
    }
    expect(results).toEqual(["begun", "resumed", "resumed", "exhausted"]);
  });

  it("FC-130: what arrives while a turn runs is stored as seen and as waiting in one step; its repetition is the same input", async () => {
    const { door, begin } = await prepare();
    await begin();
    expect(await door.offer({ messageId: "2" })).toMatchObject({ result: "accepted" });
    expect(await door.offer({ messageId: "2" })).toMatchObject({ result: "duplicate" });
    expect((await door.inputs()).map(({ state }) => state)).toEqual(["claimed", "waiting"]);
  });

  it("TN-2, TN-3: a turn taken up after a crash and then interrupted makes its session due for the message that did so", async () => {
    const { door, store, begin } = await prepare();
    await begin();
    await door.offer({ messageId: "2" });
    const { turn } = await begin();
    const due: string[] = [];
    store.onWork((task, key) => due.push(`${task} ${key}`));
    const interrupts = { ...policy, mode: () => "interrupt" as const };
    const look = { turnId: turn.id, fence: turn.fence, policy: () => interrupts };
    expect(await store.step(interruptTurn, look)).toBe(true);
    expect(due).toContain(`turn ${sessionKey}`);
  });

  it("FC-142: with nothing waiting no turn begins, whatever was answered before", async () => {
    const { store, begin } = await prepare();
    const { turn } = await begin();
    const nothing = { message: null, deliveries: [], text: null, yielded: null, failure: null, archiveAfterMs: null };
    const end = { turnId: turn.id, fence: turn.fence, outcome: "silent", error: null, ...nothing } as const;
    await store.step(endTurn, end);
    const again = { sessionKey, turnId: crypto.randomUUID(), policy: () => policy, toMessage, chains };
    expect(await store.step(beginTurn, again)).toEqual({ result: "nothing", stopped: [] });
  });

  it("TN-2: a stored step makes the count begin anew, and the one who lost the turn writes nothing", async () => {
    const { store, begin } = await prepare();
    const first = (await begin()).turn;
    await begin();
    const { turn } = await begin();
    await store.step(appendMessage, { turnId: turn.id, fence: turn.fence, message: said });
    const lost = store.step(appendMessage, { turnId: first.id, fence: first.fence, message: said });
    await expect(lost).rejects.toMatchObject({ code: "turn_fenced" });
    expect((await begin()).result).toBe("resumed");
    expect((await begin()).result).toBe("resumed");
  });
});
