import { expect, it } from "vitest";
import { contextText, limitedText } from "../../../src/bridge/accept/shown-text.ts";
import { sketchEvent } from "../../support/inbound.ts";

it.each(["x", "ü", "\u{1f600}"])(
  "TN-17: a message of %s beyond 64 KiB is cut there, with a note and no broken character",
  (letter) => {
    const text = limitedText(letter.repeat(100_000));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    expect(Buffer.byteLength(text)).toBeGreaterThan(64 * 1024 - 100);
    expect(text.endsWith("\n[… cut: a message can be at most 64 KiB]")).toBe(true);
    expect(text.isWellFormed()).toBe(true);
  },
);

it("TN-17: what fits is unchanged, and a kept message is cut alike", () => {
  const fits = "x".repeat(64 * 1024);
  expect(limitedText(fits) === fits).toBe(true);
  expect(contextText(sketchEvent({ text: `${fits}x` })).length).toBeLessThanOrEqual(64 * 1024);
});
