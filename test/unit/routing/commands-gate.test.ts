import { describe, expect, it } from "vitest";
import { createCommandGate } from "../../../src/routing/command-gate.ts";
import { type EventSketch, sketchEvent } from "../../support/inbound.ts";

const gate = createCommandGate(
  new Map([
    ["status", "status"],
    ["stop", "stop"],
    ["think", "think"],
    ["t", "think"],
    ["model", "model"],
    ["export-session", "export-session"],
  ]),
  (name, args) => name === "model" && args !== "",
);

function read(text: string, sketch: EventSketch = {}): string | null {
  const command = gate.read(sketchEvent({ text, ...sketch }));
  return command === null ? null : `${command.name}(${command.args})`;
}

const mention = { mentions: { bot: true } };

describe("IN-9, CM-2: text commands", () => {
  it.each([
    ["/status", {}, "status()"],
    ["  /status  ", {}, "status()"],
    ["/STATUS", {}, "status()"],
    ["/stop.", {}, "stop()"],
    ["/stop!!", {}, "stop()"],
    ["/status@switchbot.", {}, "status()"],
    ["/status.txt", {}, null],
    ["/status@switchbot", {}, "status()"],
    ["!stop", {}, "stop()"],
    ["/model  openai/gpt 5\nnow", {}, "model(openai/gpt 5\nnow)"],
    ["/export_session html", {}, "export-session(html)"],
    ["/unknown x", {}, null],
    ["see /status", {}, null],
    ["/", {}, null],
    ["/usr/bin/status", {}, null],
    ["status", {}, null],
    ["status", mention, "status()"],
    ["status please", mention, null],
    ["/status", { mentions: { otherOnly: true } }, null],
    ["/status", { forwarded: true }, null],
    ["/status", { kind: "edit" }, null],
    ["/think high", {}, "think(high)"],
    ["/t low", {}, "think(low)"],
    ["/think", {}, "think()"],
    ["/think high what is this", {}, null],
  ] as const)("CM-2: %j %j is %s", (text, sketch, expected) => {
    expect(read(text, sketch)).toBe(expected);
  });

  it("CM-8: a quoted command is no command", () => {
    const replyTo = { messageId: "0", senderName: "Bo", text: "/stop", fromBot: false };
    expect(read("what is that?", { replyTo })).toBeNull();
  });

  it("CM-2: a native command keeps its name, its arguments and what it is answered by", () => {
    const command = { name: "export_session", args: " md ", interactionId: "i1" };
    expect(gate.read(sketchEvent({ kind: "command", command }))).toEqual({
      name: "export-session",
      args: "md",
      native: true,
      interactionId: "i1",
    });
  });

  it.each([
    ["stop", {}, true],
    ["Stop!", {}, true],
    ["stop it", {}, false],
    ["stop", { forwarded: true }, false],
  ] as const)("TN-8: %j %j as a whole message stops: %s", (text, sketch, expected) => {
    expect(gate.readPlainStop(sketchEvent({ text, ...sketch })) !== null).toBe(expected);
  });

  it("CM-8: a long line of slashes is read in no time", () => {
    const started = performance.now();
    expect(read(`/${"a_".repeat(100_000)}!`)).toBeNull();
    expect(gate.cutDirectives(sketchEvent({ text: "/think ".repeat(50_000) })).thinking).toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("CM-7: directives in a longer message", () => {
  it.each([
    ["/think high what is this", "what is this", "high"],
    ["/think high\n\n  code stays", "\n  code stays", "high"],
    ["please /think low  answer", "please  answer", "low"],
    ["explain\n/think medium\nthis", "explain\nthis", "medium"],
    ["tell me /t off", "tell me", "off"],
    ["/think@bot HIGH go", "go", "high"],
    ["  spaced  text", "  spaced  text", null],
    ["/think hard about it", "/think hard about it", null],
    ["and/think high", "and/think high", null],
    ["`/think high` is how", "`/think high` is how", null],
    ["```\n/think high\n```\nshown", "```\n/think high\n```\nshown", null],
  ] as const)("CM-7: %j leaves %j with %s", (text, rest, thinking) => {
    expect(gate.cutDirectives(sketchEvent({ text }))).toEqual({ text: rest, thinking });
  });

  it("CM-8: a forwarded message carries no directive", () => {
    const text = "/think high what";
    expect(gate.cutDirectives(sketchEvent({ text, forwarded: true }))).toEqual({ text, thinking: null });
  });
});
