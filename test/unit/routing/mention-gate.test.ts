import { describe, expect, it } from "vitest";
import { type GateRules, mentionGate } from "../../../src/routing/agent-rules.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";

const peer = { kind: "group", id: "-100555", label: null } as const;
const strict: GateRules = {
  requireMention: true,
  path: "channels.telegram.groups.-100555.requireMention is true",
  patterns: [/\bswitchy\b/i],
  implicit: { replyToBot: true, threadParticipation: true },
  bound: false,
  participated: false,
  isCommand: false,
  leftTo: null,
  albumAddressed: false,
};
const otherOnly = { otherOnly: true };
const bot = { isBot: true };
const silent = "channels.telegram.groups.-100555.requireMention is true and nothing addresses the bot";

function gate(sketch: EventSketch, changes: Partial<GateRules> = {}): string {
  const verdict = mentionGate(sketchEvent({ peer, ...sketch }), { ...strict, ...changes });
  return verdict.addressed ? `yes: ${verdict.by}` : `no: ${verdict.rule}`;
}

describe("IN-7: who is addressed", () => {
  it.each([
    ["a direct message", { peer: { kind: "direct", id: "1", label: null } }, {}, "yes: direct message"],
    ["a plain group message", {}, {}, `no: ${silent}`],
    ["a mention", { mentions: { bot: true } }, {}, "yes: mention"],
    ["a reply to the bot", { mentions: { replyToBot: true } }, {}, "yes: reply to the bot"],
    [
      "a reply to the bot, switched off",
      { mentions: { replyToBot: true } },
      { implicit: { replyToBot: false, threadParticipation: true } },
      `no: ${silent}`,
    ],
    ["a configured name", { text: "hey Switchy, look" }, {}, "yes: name pattern"],
    ["FC-185: a follow-up in a thread with the bot", {}, { participated: true }, "yes: thread with the bot"],
    [
      "FC-185: the same, switched off",
      {},
      { participated: true, implicit: { replyToBot: true, threadParticipation: false } },
      `no: ${silent}`,
    ],
    [
      "somebody else, in a thread with the bot",
      { mentions: otherOnly },
      { participated: true },
      "no: addressed to someone else",
    ],
    [
      "somebody else, where no mention is needed",
      { mentions: otherOnly },
      { requireMention: false },
      "no: addressed to someone else",
    ],
    [
      "somebody else in reply to the bot",
      { mentions: { otherOnly: true, replyToBot: true } },
      {},
      "yes: reply to the bot",
    ],
    ["no mention needed", {}, { requireMention: false }, "yes: no mention needed"],
    ["TB-3: a bound thread", {}, { bound: true }, "yes: linked conversation"],
    [
      "TB-3: another person in a bound thread",
      { mentions: otherOnly },
      { bound: true },
      "no: addressed to someone else",
    ],
    ["a command", { text: "/status" }, { isCommand: true }, "yes: command"],
    [
      "a command for another bot",
      { text: "/status", mentions: otherOnly },
      { isCommand: true },
      "no: addressed to someone else",
    ],
    [
      "CM-17: a command for another of our bots",
      { text: "/status" },
      { isCommand: true, leftTo: "second", requireMention: false },
      "no: the command is for second",
    ],
    ["a native command", { kind: "command" }, {}, "yes: native command"],
    ["IN-12: a part of an addressed album", {}, { albumAddressed: true }, "yes: album"],
  ] as const)("IN-7: %s", (_name, sketch, changes, expected) => {
    expect(gate(sketch, changes)).toBe(expected);
  });

  it.each([
    ["an inline mention", { mentions: { bot: true } }, {}, "yes: mention"],
    ["FC-083: a reply ping", { mentions: { replyToBot: true } }, {}, "no: a bot's message has no inline mention"],
    ["FC-083: a thread with the bot", {}, { participated: true }, "no: a bot's message has no inline mention"],
    ["a bound thread", {}, { bound: true }, "no: a bot's message has no inline mention"],
    ["a name pattern", { text: "switchy!" }, {}, "no: a bot's message has no inline mention"],
    ["a place that needs no mention", {}, { requireMention: false }, "yes: no mention needed"],
  ] as const)("IN-4: of another bot, %s", (_name, sketch, changes, expected) => {
    expect(gate({ sender: bot, ...sketch }, changes)).toBe(expected);
  });
});
