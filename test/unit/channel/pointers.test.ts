import { describe, expect, test } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { readPointer } from "../../../src/channel/descriptor.ts";

describe("IN-17: what people paste to point at a message", () => {
  test.each([
    ["https://discord.com/channels/11/22/1331900000000000000", "discord 22 1331900000000000000"],
    ["https://ptb.discord.com/channels/@me/22/1331900000000000000", "discord 22 1331900000000000000"],
    ["https://acme.slack.com/archives/C024BE91L/p1798761600000100", "slack C024BE91L 1798761600.000100"],
    [
      "<https://acme.slack.com/archives/C024BE91L/p1798761600000100?thread_ts=1798761500.000100&cid=C024BE91L>",
      "slack C024BE91L 1798761600.000100",
    ],
    ["https://t.me/c/1234567/89", "telegram -1001234567 89"],
    ["https://t.me/c/1234567/5/89?single", "telegram -1001234567 89"],
    ["https://t.me/switchyard_chat/89", "telegram null 89"],
    ["telegram:111/5", "telegram 111 5"],
    ["slack:D024BE91L/1798761600.000100", "slack D024BE91L 1798761600.000100"],
    ["http://127.0.0.1:4180/web/c/operator#p-abc", "web operator abc"],
    ["http://127.0.0.1:4180/web/c/kitchen/t/m7#m-12", "web m7 12"],
  ])("%s", (written, read) => {
    const pointed = readPointer(channels, written);
    expect(`${pointed?.channel} ${pointed?.to} ${pointed?.messageId}`).toBe(read);
  });

  test.each([
    "yesterday",
    "https://example.com/channels/1/2/3",
    "https://discord.com/channels/11",
    "https://notslack.com/archives/C024BE91L/p1798761600000100",
    "https://t.me/joinchat",
    "matrix:room/5",
    "http://127.0.0.1:4180/web/c/100%#p-1",
  ])("%s names none", (written) => {
    expect(readPointer(channels, written)).toBeNull();
  });

  test("the ids of Discord and Slack say when it was written", () => {
    const at = (written: string) => new Date(readPointer(channels, written)?.sentAt ?? 0).toISOString().slice(0, 10);
    expect(at("https://discord.com/channels/11/22/1331900000000000000")).toBe("2025-01-23");
    expect(at("https://acme.slack.com/archives/C024BE91L/p1798761600000100")).toBe("2027-01-01");
  });

  test.each([
    "https://discord.com/channels/11/22/99999999999999999999999999999999",
    `https://discord.com/channels/11/22/${"9".repeat(400)}`,
  ])("an id that no platform gives says nothing of the time: %s", (written) => {
    expect(readPointer(channels, written)?.sentAt ?? null).toBeNull();
  });

  test("a written one may name the account and the conversation a thread is of", () => {
    expect(readPointer(channels, "telegram/second:-1005/7/12")).toEqual({
      ...{ channel: "telegram", accountId: "second", to: "-1005", threadId: "7", messageId: "12", sentAt: null },
    });
  });

  test("half a character in it is none of an id, and asks for nothing else", () => {
    expect(readPointer(channels, "telegram:\ud800/5")?.to).toBe("\ufffd");
    expect(() => encodeURIComponent(readPointer(channels, "telegram:\ud800/5")?.to ?? "")).not.toThrow();
  });
});
