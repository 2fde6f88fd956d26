import { describe, expect, it } from "vitest";
import type { SendOutcome } from "../../../src/core/delivery/delivery.ts";
import { decideAfterSend, fullWaitMs, type SendFacts } from "../../../src/delivery/retry-policy.ts";

const NOW = 1_000_000;
const CONTENT = { kind: "message", piece: { rich: "x", plain: "x" }, replyTo: null, private: false } as const;
const retry = (afterMs: number | null): SendOutcome => ({
  outcome: "retry",
  afterMs,
  sharesLimitWith: "bot",
  reason: "r",
});
const failed = (changes: Partial<Extract<SendOutcome, { outcome: "failed" }>> = {}): SendOutcome => ({
  outcome: "failed",
  reason: "r",
  gone: false,
  movedTo: null,
  ...changes,
});
const unknown = (left: boolean): SendOutcome => ({ outcome: "unknown", left, reason: "r" });

function decide(outcome: SendOutcome, changes: Partial<SendFacts> = {}, attempts = 1, messageIds: string[] = []) {
  return decideAfterSend({
    delivery: { attempts, messageIds, content: CONTENT },
    outcome,
    isPreview: false,
    idempotentSend: false,
    onUnconfirmed: "resend",
    now: NOW,
    random: 0,
    ...changes,
  });
}

const waits = (ms: number, countsAttempt: boolean) => ({
  state: "pending",
  nextAt: NOW + ms,
  countsAttempt,
  asNewMessage: false,
});

describe("what one send means for its delivery", () => {
  it("FC-067: sent keeps all message ids", () => {
    expect(decide({ outcome: "sent", messageIds: ["1", "2"] }).settlement).toEqual({
      state: "sent",
      messageIds: ["1", "2"],
    });
  });

  it("FC-092: a 429 waits its whole retry_after, however long, without an attempt, and holds the named bucket", () => {
    const decision = decide(retry(6_775_000));
    expect(decision.settlement).toMatchObject(waits(6_775_000, false));
    expect(decision).toMatchObject({ hold: { bucket: "bot", until: NOW + 6_775_000 }, trouble: false });
  });

  it("DL-4: errors back off from 1 s to 5 min with jitter", () => {
    expect([1, 2, 3, 8, 9, 50].map(fullWaitMs)).toEqual([2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
    expect(decide(retry(null)).settlement).toMatchObject(waits(1_000, true));
    expect(decide(retry(null), { random: 1 }).settlement).toMatchObject(waits(2_000, true));
    expect(decide(retry(null), { random: 1 }, 40).settlement).toMatchObject(waits(300_000, true));
    expect(decide(retry(null)).trouble).toBe(true);
  });

  it("DL-4: gives up after the tries of a day, and not before", () => {
    expect(decide(retry(null), {}, 290).settlement.state).toBe("pending");
    expect(decide(retry(null), {}, 300).settlement).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("300 tries"),
    });
  });

  it("TB-6, FC-145: a refusal says what it proves of the place: gone, closed, or nothing", () => {
    expect(decide(failed({ gone: true })).settlement).toEqual({ state: "failed", reason: "r", place: "gone" });
    expect(decide(failed({ closed: true })).settlement).toEqual({ state: "failed", reason: "r", place: "closed" });
    expect(decide(failed()).settlement).toEqual({ state: "failed", reason: "r" });
  });

  it("TB-6: a farewell is tried once, except that a limit or a moved chat did not try it yet", () => {
    const delivery = { attempts: 1, messageIds: [], content: { ...CONTENT, once: true } } as const;
    for (const outcome of [retry(null), unknown(true), unknown(false), failed()]) {
      expect(decide(outcome, { delivery }).settlement).toEqual({ state: "failed", reason: "r" });
    }
    expect(decide(retry(5_000), { delivery }).settlement).toMatchObject(waits(5_000, false));
    expect(decide(failed({ movedTo: "9" }), { delivery }).movedTo).toBe("9");
    const idempotentSend = true;
    expect(decide(unknown(true), { delivery, idempotentSend }).settlement.state).toBe("pending");
    expect(decide(unknown(false), { delivery, idempotentSend }).settlement.state).toBe("failed");
  });

  it("TB-7: a thread is made with its place, or it failed", () => {
    const opening = { rich: "x", plain: "x" };
    const content = { kind: "thread", title: "t", opening, anchorMessageId: null, keepOpenMs: 0 } as const;
    const delivery = { attempts: 1, messageIds: [], content };
    const thread = { channel: "c", accountId: "default", to: "1", threadId: "2" };
    expect(decide({ outcome: "sent", messageIds: [], thread }, { delivery }).settlement).toEqual({
      state: "sent",
      messageIds: [],
      made: { route: thread, link: null },
    });
    expect(decide({ outcome: "sent", messageIds: ["1"] }, { delivery }).settlement.state).toBe("failed");
    expect(decide(unknown(true), { delivery, onUnconfirmed: "hold" }).settlement.state).toBe("unconfirmed");
    expect(decide(unknown(true), { delivery, idempotentSend: true }).settlement.state).toBe("pending");
  });

  it("FC-169: a permanent error fails immediately, with the platform's reason", () => {
    expect(decide(failed({ reason: "bot was kicked", gone: true })).settlement).toEqual({
      state: "failed",
      reason: "bot was kicked",
      place: "gone",
    });
  });

  it("FC-055: a moved conversation is followed and costs no attempt", () => {
    const decision = decide(failed({ movedTo: "-100" }));
    expect(decision.movedTo).toBe("-100");
    expect(decision.settlement).toMatchObject(waits(0, false));
  });

  it("TN-11: an edit that is refused for good goes as a new message, unless the conversation is gone", () => {
    expect(decide(failed(), {}, 1, ["5"]).settlement).toMatchObject({ state: "pending", asNewMessage: true });
    expect(decide(failed({ gone: true }), {}, 1, ["5"]).settlement.state).toBe("failed");
  });

  it("TN-11: taking a message back ends as withdrawn", () => {
    const delivery = { attempts: 1, messageIds: ["5"], content: { kind: "delete" } } as const;
    expect(decide({ outcome: "sent", messageIds: [] }, { delivery }).settlement.state).toBe("withdrawn");
  });

  it.each([
    ["DL-3: never left: repeat", unknown(false), { onUnconfirmed: "hold" }, [], "pending"],
    ["DL-3: may have arrived, resend", unknown(true), {}, [], "pending"],
    ["DL-3: may have arrived, hold", unknown(true), { onUnconfirmed: "hold" }, [], "unconfirmed"],
    [
      "DL-3: may have arrived, idempotent platform",
      unknown(true),
      { onUnconfirmed: "hold", idempotentSend: true },
      [],
      "pending",
    ],
    ["DL-3: an edit twice shows the same", unknown(true), { onUnconfirmed: "hold" }, ["5"], "pending"],
    ["TN-11: a preview is never worth a second message", unknown(true), { isPreview: true }, [], "unconfirmed"],
  ] as [string, SendOutcome, Partial<SendFacts>, string[], string][])("%s", (_name, outcome, changes, ids, state) => {
    expect(decide(outcome, changes, 1, ids).settlement.state).toBe(state);
  });
});
