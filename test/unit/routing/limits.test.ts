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

  const limits = { perSenderPerMinute: 20, perSenderCommandsPerMinute: 5, daily: { tokens: 0, cost: 0 } };

  it.each([
    ["message", 19, 9, 0, { within: true }],
    ["message", 20, 0, 0, { within: false, rule: "limits.perSender.perMinute is 20", tell: true }],
    ["message", 20, 0, 3, { within: false, rule: "limits.perSender.perMinute is 20", tell: false }],
    ["command", 99, 4, 0, { within: true }],
    ["command", 0, 5, 0, { within: false, rule: "limits.perSender.commandsPerMinute is 5", tell: true }],
    ["command", 0, 5, 1, { within: false, rule: "limits.perSender.commandsPerMinute is 5", tell: false }],
    ["free", 99, 99, 99, { within: true }],
  ] as const)(
    "TN-19, FC-403: a %s after %i messages, %i commands and %i refusals in the last minute",
    (cost, started, commands, refused, expected) => {
      expect(rateVerdict(limits, { started, commands, refused }, cost)).toEqual(expected);
    },
  );

  it("TN-19: a limit of 0 is none", () => {
    const none = { ...limits, perSenderPerMinute: 0, perSenderCommandsPerMinute: 0 };
    for (const cost of ["message", "command"] as const) {
      expect(rateVerdict(none, { started: 999, commands: 999, refused: 0 }, cost)).toEqual({ within: true });
    }
  });

  it("FC-403: 20 commands a minute, none without a limit on messages, or what is set", () => {
    const of = (perSender: object) => testSettings({ limits: { perSender } }).limits.perSenderCommandsPerMinute;
    expect([of({}), of({ perMinute: 3 }), of({ perMinute: 0 }), of({ perMinute: 0, commandsPerMinute: 9 })]).toEqual([
      20, 20, 0, 9,
    ]);
  });

  it("IN-5: a code has 8 unmistakable characters, and is understood however it is typed", () => {
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
