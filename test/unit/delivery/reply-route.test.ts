import { describe, expect, it } from "vitest";
import {
  type AnswerSource,
  answerRoute,
  type CompletionSource,
  completionRoute,
} from "../../../src/core/reply-route.ts";
import { routeTo } from "./outbox.ts";

const ASKED = routeTo("asked");
const BOUND = routeTo("bound", { threadId: "9" });
const LAST = routeTo("last", { threadId: "5" });
const ELSEWHERE = routeTo("elsewhere", { channel: "other" });

describe("where an answer goes", () => {
  const all = { route: ASKED, boundRoute: BOUND, lastRoute: LAST };
  const none = { route: null, boundRoute: null, lastRoute: LAST };
  const cases: [string, AnswerSource, unknown][] = [
    ["TN-15: a person is answered where they wrote", { kind: "event", ...all }, ASKED],
    [
      "FC-140: one session, two channels: the route of this very message counts",
      { kind: "event", ...all, lastRoute: ELSEWHERE },
      ASKED,
    ],
    ["TN-15: a message without a route of its own is answered at the last route", { kind: "event", ...none }, LAST],
    [
      "TN-15: a completion's answer goes where its own route says, also nowhere",
      { kind: "completion", ...all, route: null },
      null,
    ],
    ["TN-15: another session is never answered in a chat", { kind: "inter_session", ...all }, null],
    ["FC-026: nor does its message borrow the stored route", { kind: "inter_session", ...none }, null],
    ["TB-2: a thread-bound helper answers in its thread", { kind: "task", ...all }, BOUND],
    ["CP-6: a helper without a thread answers nobody outside", { kind: "task", ...none }, null],
    ["TB-2: guidance does not change where a helper answers", { kind: "steer", ...all }, BOUND],
    ["TN-15: a schedule answers at the last route", { kind: "operator", ...none }, LAST],
    ["TN-15: or nowhere", { kind: "operator", ...none, lastRoute: null }, null],
    ["TN-15: a notice that wakes answers at the last route", { kind: "notice", ...none }, LAST],
  ];
  it.each(cases)("%s", (_name, source, expected) => expect(answerRoute(source)).toEqual(expected));
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
