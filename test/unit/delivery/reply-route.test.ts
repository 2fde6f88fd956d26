import { describe, expect, it } from "vitest";
import { type CompletionSource, completionRoute, operatorRoute } from "../../../src/core/delivery/delivery.ts";
import { routeTo } from "./outbox.ts";

const ASKED = routeTo("asked");
const BOUND = routeTo("bound", { threadId: "9" });
const LAST = routeTo("last", { threadId: "5" });
const ELSEWHERE = routeTo("elsewhere", { channel: "other" });

describe("where the answer to the operator goes", () => {
  it.each([
    ["TB-2: into the conversation of a session that has one", BOUND, LAST, BOUND],
    ["TN-15: else to the last route", null, LAST, LAST],
    ["TN-15: or nowhere", null, null, null],
  ])("%s", (_name, boundRoute, lastRoute, expected) => {
    expect(operatorRoute({ boundRoute, lastRoute })).toEqual(expected);
  });
});

describe("where the answer to a completion goes", () => {
  const whole: CompletionSource = { boundRoute: null, spawnRoute: ASKED, requesterLastRoute: LAST };
  const partial = (channel: string, accountId: string | null): CompletionSource => ({
    ...whole,
    spawnRoute: { channel, accountId },
  });
  const cases: [string, CompletionSource, unknown][] = [
    ["CP-4: the conversation bound to the requester comes first", { ...whole, boundRoute: BOUND }, BOUND],
    [
      "FC-181: the route of the turn that spawned, wherever people wrote since",
      { ...whole, requesterLastRoute: ELSEWHERE },
      ASKED,
    ],
    [
      "CP-4: spawned in thread A with later talk in thread B: A",
      { ...whole, spawnRoute: routeTo("last", { threadId: "A" }) },
      routeTo("last", { threadId: "A" }),
    ],
    [
      "CP-4: a whole route without a thread never gets the last route's",
      { ...whole, spawnRoute: routeTo("last") },
      routeTo("last"),
    ],
    ["FC-002: an origin with only a channel is filled from the last route", partial("chat", null), LAST],
    ["FC-002: also when the stated account is the same", partial("chat", "default"), LAST],
    ["CP-4: never from another account", partial("chat", "second"), null],
    ["CP-4: never from another channel", partial("other", null), null],
    ["CP-4: nor when nothing is stored", { ...partial("chat", null), requesterLastRoute: null }, null],
    ["CP-4: spawned without a route: where the requester's people last wrote", { ...whole, spawnRoute: null }, LAST],
    ["CP-4: or nowhere", { boundRoute: null, spawnRoute: null, requesterLastRoute: null }, null],
  ];
  it.each(cases)("%s", (_name, source, expected) => expect(completionRoute(source)).toEqual(expected));
});
