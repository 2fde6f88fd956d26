import { expect, it } from "vitest";
import { cutBytes, cutMiddle, cutText, utf8Length } from "../../../src/core/text/cut.ts";

const FAMILY = "👨‍👩‍👧‍👦";

it("ST-8: a text at the limit stays, one over it is cut with the marker inside the limit (FC-172)", () => {
  expect(cutText("a".repeat(4_000), 4_000)).toEqual({ text: "a".repeat(4_000), truncated: false });
  expect(cutText("a".repeat(4_001), 4_000)).toEqual({ text: `${"a".repeat(3_999)}…`, truncated: true });
  expect(cutText("abcdef", 5, " [cut]")).toEqual({ text: "abcde", truncated: true });
});

it("ST-8: cutting never splits a code point or a grapheme", () => {
  expect(cutText("ab😀cd", 4).text).toBe("ab…");
  expect(cutText(`ab${FAMILY}`, 8).text).toBe("ab…");
  expect(cutText("ae\u0301x!", 3).text).toBe("a…");
  expect(cutText("🇩🇪🇫🇷🇮🇹", 8).text).toBe("🇩🇪…");
});

it("ST-8: a cluster longer than any real one is cut between code points", () => {
  const text = `a${"\u0301".repeat(2_000)}`;
  expect(cutText(text, 1_000).text).toBe(`a${"\u0301".repeat(998)}…`);
});

it("ST-8: bytes are counted as UTF-8", () => {
  expect(cutBytes("äöü", 6).truncated).toBe(false);
  expect(cutBytes("äöüß", 7).text).toBe("äö…");
  expect(cutBytes(`x${FAMILY}`, 20).text).toBe("x…");
  expect(utf8Length("a\ud800")).toBe(4);
});

it("TN-17: a large tool result keeps head and tail and says how much is missing", () => {
  const text = `START${"ä".repeat(40_000)}END`;
  const cut = cutMiddle(text, 32_768);
  expect(cut.truncated).toBe(true);
  expect(utf8Length(cut.text)).toBeLessThanOrEqual(32_768);
  expect(utf8Length(cut.text)).toBeGreaterThan(32_000);
  expect(cut.text).toMatch(/^START[\s\S]+\n\[… \d+ bytes left out …\]\n[\s\S]+END$/);
  const missing = Number(/\[… (\d+) bytes/.exec(cut.text)?.[1]);
  const note = /\n\[…[^\]]+\]\n/.exec(cut.text)?.[0] ?? "";
  expect(utf8Length(cut.text) - utf8Length(note) + missing).toBe(utf8Length(text));
  expect(cutMiddle("short", 32_768)).toEqual({ text: "short", truncated: false });
});
