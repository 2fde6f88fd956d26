import { describe, expect, it } from "vitest";
import {
  couldBecomeControlWord,
  isSilent,
  NO_REPLY,
  REPLY_SKIP,
  stripControlWords,
  visibleBeforeControlWord,
} from "../../../src/core/text/control-words.ts";

describe("TN-9: silence", () => {
  it.each(["NO_REPLY", " no_reply\n", "No_Reply", "NO\\_REPLY"])("TN-9: %j is silent", (text) => {
    expect(isSilent(text)).toBe(true);
  });
  it.each(["No", "", "NO_REPLY.", "NO_REPLY indeed", "NO REPLY"])("TN-9: %j is not", (text) => {
    expect(isSilent(text)).toBe(false);
  });
  it("ST-24: only the words asked for count", () => {
    expect(isSilent("REPLY_SKIP", [REPLY_SKIP])).toBe(true);
    expect(isSilent("NO_REPLY", [REPLY_SKIP])).toBe(false);
    expect(isSilent("ANNOUNCE_SKIP", [NO_REPLY])).toBe(false);
  });
});

describe("TN-9, FC-029: the token never shows in a chat", () => {
  it.each([
    ["Done. NO_REPLY", "Done."],
    ["NO_REPLY\n\nHello", "Hello"],
    ["Hello\n\nNO_REPLY\n", "Hello"],
    ["a NO_REPLY b ANNOUNCE_SKIP c", "a b c"],
    ["**NO_REPLY**", ""],
    ["`REPLY_SKIP` ends it", "ends it"],
    ["NO\\_REPLY", ""],
    ["no_reply", ""],
    ["well, no_reply.", "well, ."],
  ])("TN-9: %j becomes %j", (text, stripped) => {
    expect(stripControlWords(text)).toBe(stripped);
    expect(stripControlWords(stripped)).toBe(stripped);
  });
  it.each(["mail no_reply@example.org", "MY_NO_REPLY_FLAG", "No reply", "NO_SKIP", "a REPLY_REPLY b"])(
    "TN-9: %j stays",
    (text) => {
      expect(stripControlWords(text)).toBe(text);
    },
  );
});

describe("TN-9, FC-030: a stream that may become a control word is held back", () => {
  it.each(["", " ", "N", "No", "NO_", "no_re", "NO_REPLY", "NO_REPLY\n", "NO\\_RE", "A", "Announce_"])(
    "%j could",
    (text) => {
      expect(couldBecomeControlWord(text)).toBe(true);
    },
  );
  it.each(["Nope", "No.", "No problem", "NO_REPLY x", "Hello", "NOREPLY"])("%j cannot", (text) => {
    expect(couldBecomeControlWord(text)).toBe(false);
  });
  it.each([
    ["NO", ""],
    ["No problem", "No problem"],
    ["Done. NO_RE", "Done. "],
    ["Done. NO_REPLY", "Done. "],
    ["Done. *NO", "Done. "],
    ["Done. It is", "Done. It is"],
    ["Done. Nothing", "Done. Nothing"],
  ])("TN-9: of %j a preview shows %j", (text, shown) => {
    expect(visibleBeforeControlWord(text)).toBe(shown);
  });
  it("TN-9: a real No is delivered", () => {
    expect(isSilent("No")).toBe(false);
    expect(stripControlWords("No")).toBe("No");
  });
});
