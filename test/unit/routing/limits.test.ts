import { describe, expect, it } from "vitest";
import { roleLists } from "../../../src/routing/admission.ts";
import { botLoopRule, rateVerdict } from "../../../src/routing/agent-rules.ts";
import { foldPairingCode, pairingCode } from "../../../src/routing/pairing.ts";
import { testSettings } from "../../support/test-settings.ts";
import { account } from "./rows.ts";

describe("limits and codes", () => {
  it.each([
    [5, null],
    [6, "channels.discord.maxBotTurns: 6 replies to this bot without a message from a person"],
  ])("FC-082: after %i answers the rule is %s", (turns, expected) => {
    expect(botLoopRule(account("discord"), turns)).toBe(expected);
  });

  it.each([
    [19, 0, { within: true }],
    [20, 0, { within: false, rule: "limits.perSender.perMinute is 20", tell: true }],
    [20, 3, { within: false, rule: "limits.perSender.perMinute is 20", tell: false }],
  ])("TN-19: %i messages and %i refusals in the last minute", (started, refused, expected) => {
    expect(rateVerdict({ perSenderPerMinute: 20 }, { started, refused })).toEqual(expected);
  });

  it("TN-19: a limit of 0 is none", () => {
    expect(rateVerdict({ perSenderPerMinute: 0 }, { started: 999, refused: 0 })).toEqual({ within: true });
  });

  it("IN-5: a code has 8 characters nobody mistakes, and is understood however it is typed", () => {
    const codes = Array.from({ length: 500 }, () => pairingCode());
    for (const code of codes) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
    expect(new Set(codes).size).toBe(500);
    expect(foldPairingCode(" abcd-efgh ")).toBe("ABCDEFGH");
  });

  it("IN-16: one person's ids on several channels are one owner", () => {
    const settings = testSettings({
      commands: { ownerAllowFrom: ["telegram:111", "web:ann"] },
      session: { identityLinks: { ann: ["telegram:111", "web:ann"] } },
    });
    expect(roleLists(settings).ownerCount).toBe(1);
  });
});
