import { describe, expect, it } from "vitest";
import type { Route } from "../../../src/core/delivery/delivery.ts";
import type { InboxItem, InboxPayload } from "../../../src/core/message/inbox-item.ts";
import type { QueueMode } from "../../../src/core/message/turn-inputs.ts";
import {
  chooseInputs,
  chooseSteering,
  collectsUntil,
  interruptsTurn,
  type MergePolicy,
} from "../../../src/core/message/turn-inputs.ts";
import type { Rights } from "../../../src/core/session/rights.ts";
import { asSessionKey, type SessionKey } from "../../../src/core/session/session-key.ts";
import { asStored } from "../../support/present-access.ts";

const KEY = asSessionKey("agent:main:main") as SessionKey;
const here: Route = { channel: "telegram", accountId: "default", to: "1", threadId: null };
const topic: Route = { ...here, threadId: "7" };
const ann: Rights = { role: "user", sender: { channel: "telegram", accountId: "default", id: "ann" }, group: null };
const bob: Rights = { ...ann, sender: { channel: "telegram", accountId: "default", id: "bob" } };
const policy = (mode: QueueMode): MergePolicy => ({
  mode: () => mode,
  signature: (rights) => rights.sender?.id ?? "",
  presentAccess: asStored,
  quietMs: 500,
});

let seq = 0;
function input(kind: InboxPayload["kind"], options: { route?: Route | null; rights?: Rights; wakes?: boolean } = {}) {
  seq += 1;
  const { route = here, rights = ann, wakes = false } = options;
  return {
    seq,
    key: `${kind}-${seq}`,
    sessionKey: KEY,
    payload: { kind, wakes },
    route,
    rights,
  } as unknown as InboxItem;
}

describe("which inputs make a turn", () => {
  const first = input("event");
  const same = input("event");
  const elsewhere = input("event", { route: topic });
  const others = input("event", { rights: bob });
  const result = input("completion");
  const laterResult = input("completion");
  const resultElsewhere = input("completion", { route: topic });
  const session = input("inter_session", { route: null });
  const notice = input("notice");

  it.each<[string, QueueMode, readonly InboxItem[], readonly InboxItem[]]>([
    [
      "TN-3: in steer mode a turn takes all messages of one route and one set of rights",
      "steer",
      [first, same, elsewhere, others],
      [first, same],
    ],
    ["TN-3: in followup mode it takes one", "followup", [first, same], [first]],
    ["TN-3: in collect mode it takes all of one route", "collect", [first, same, elsewhere], [first, same]],
    ["TN-3: in interrupt mode what came before the newest is not lost", "interrupt", [first, same], [first, same]],
    [
      "CP-7: results of one route come together, in order",
      "steer",
      [result, resultElsewhere, laterResult],
      [result, laterResult],
    ],
    [
      "CP-3: a result of the same route joins a person's message, one of another topic waits",
      "followup",
      [first, result, resultElsewhere],
      [first, result],
    ],
    ["TN-4: a message of another session is a turn of its own", "steer", [session, first, notice], [session, notice]],
    ["TN-4: and joins nobody's", "steer", [first, session], [first]],
    ["TN-4: a notice alone starts nothing", "steer", [notice], []],
  ])("%s", (_name, mode, waiting, taken) => {
    expect(chooseInputs(waiting, policy(mode))).toEqual(taken);
  });

  it("TN-4: a notice that wakes starts a turn", () => {
    const waking = input("notice", { wakes: true });
    expect(chooseInputs([waking], policy("steer"))).toEqual([waking]);
  });

  it.each<[string, QueueMode, readonly InboxItem[], readonly InboxItem[]]>([
    [
      "TN-3: a message of the turn's own route and rights is shown at the next boundary",
      "steer",
      [same, elsewhere, others],
      [same],
    ],
    ["TN-3: in followup mode it waits", "followup", [same], []],
    ["TN-3: in collect mode it waits", "collect", [same], []],
    ["TN-3: what may not interrupt the turn is shown to it", "interrupt", [same, elsewhere], [same]],
    [
      "CP-3: a result of the turn's route is shown at the next boundary in either mode",
      "followup",
      [result, resultElsewhere],
      [result],
    ],
    ["TN-4: messages of other sessions and notices wait", "steer", [session, notice], []],
  ])("%s", (_name, mode, waiting, steered) => {
    expect(chooseSteering(waiting, { route: here, rights: ann }, policy(mode))).toEqual(steered);
  });

  it("TN-3: collect waits 500 ms after the newest of what came while a turn ran, and never for ever", () => {
    const at = (createdAt: number) => ({ ...input("event"), createdAt });
    const collect = policy("collect");
    expect(collectsUntil([at(1_000), at(1_400)], collect, 2_000)).toBe(1_900);
    expect(collectsUntil([at(1_000), at(2_300)], collect, 2_000)).toBe(2_800);
    expect(collectsUntil([at(1_000), at(99_000)], collect, 2_000)).toBe(12_000);
    expect(collectsUntil([at(2_100)], collect, 2_000)).toBeNull();
    expect(collectsUntil([at(2_100)], collect, null)).toBeNull();
    expect(collectsUntil([at(1_000)], policy("steer"), 2_000)).toBeNull();
    expect(collectsUntil([at(1_000), result], collect, 2_000)).toBeNull();
  });

  it("TN-3: only a message of the turn's own conversation interrupts, and never a turn that works on a result", () => {
    const turn = { route: here, inputs: [first] };
    expect(interruptsTurn([same], turn, policy("interrupt"))).toBe(true);
    expect(interruptsTurn([others], turn, policy("interrupt"))).toBe(true);
    expect(interruptsTurn([same], turn, policy("steer"))).toBe(false);
    expect(interruptsTurn([elsewhere, result, notice], turn, policy("interrupt"))).toBe(false);
    expect(interruptsTurn([same], { route: here, inputs: [first, result] }, policy("interrupt"))).toBe(false);
  });

  it("FC-209: a forward that was sent with a turn's words ends it in every mode, and nothing else does", () => {
    const said = (senderId: string, createdAt: number, forwarded: boolean): InboxItem => ({
      ...input("event"),
      createdAt,
      payload: {
        ...{ kind: "event", senderId, text: forwarded ? "" : "look at this" },
        ...(forwarded ? { quotes: [{ kind: "forward", from: "Zed", origin: null, text: "x" }] } : {}),
      } as unknown as InboxPayload,
    });
    const turn = { route: here, inputs: [said("ann", 1_000, false)] };
    for (const mode of ["steer", "followup", "collect"] as const) {
      expect(interruptsTurn([said("ann", 1_400, true)], turn, policy(mode))).toBe(true);
      expect(interruptsTurn([said("ann", 1_600, true)], turn, policy(mode))).toBe(false);
      expect(interruptsTurn([said("bob", 1_400, true)], turn, policy(mode))).toBe(false);
      expect(interruptsTurn([said("ann", 1_400, false)], turn, policy(mode))).toBe(false);
      expect(interruptsTurn([{ ...said("ann", 1_400, true), route: topic }], turn, policy(mode))).toBe(false);
    }
  });
});
