import { describe, expect, it } from "vitest";
import { createRedactor, createSecretMask } from "../../../src/core/text/redact.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const SECRET = "s3cr3t+value/öfA";
const letters = (text: string, gap: string) => [...text].join(gap);
const bytes = Buffer.from(SECRET);
const half = (text: string, gap: string) => `${text.slice(0, 7)}${gap}${text.slice(7)}`;

/** How a secret may be written so that somebody can still read it. */
const FORMS: Readonly<Record<string, string>> = {
  "as it is": SECRET,
  base64: bytes.toString("base64"),
  base64url: bytes.toString("base64url"),
  hex: bytes.toString("hex"),
  HEX: bytes.toString("hex").toUpperCase(),
  "URL-encoded": encodeURIComponent(SECRET),
};
const GAPS = [
  "\u200b",
  "\u2060",
  "\u2066",
  "\u00ad",
  "\ufe0f",
  "\u3164",
  "\uffa0",
  "\u{e0041}",
  "\n",
  "\r\n",
  "\n    ",
  "\u200b\n\t",
];

describe("secrets that are split", () => {
  it("ST-7, FC-410: a configured secret is masked in every encoding, also with what is unseen or a new line inside", () => {
    for (const mask of [createSecretMask([SECRET]), (text: string) => createRedactor([SECRET])(text).text]) {
      for (const [form, written] of Object.entries(FORMS)) {
        expect(mask(`a ${written} b`), form).toBe("a [redacted:secret] b");
        for (const gap of GAPS) {
          const escaped = `${form} with ${JSON.stringify(gap)}`;
          expect(mask(`a ${half(written, gap)} b`), escaped).toBe("a [redacted:secret] b");
          expect(mask(`a ${letters(written, gap)} b`), escaped).toBe("a [redacted:secret] b");
        }
      }
    }
    expect(createSecretMask([SECRET])("s3cr3t value, and more")).toBe("s3cr3t value, and more");
  });

  it("FC-402, FC-410: looking for split secrets takes time in proportion to the text", () => {
    const mask = createSecretMask([SECRET, "aaaaaaaaaaaaaaaa", "line one\nline two"]);
    for (const run of ["\n", "s\n", "a", "a\u200b", "s3cr3t+value/ö", "line one\n  "]) {
      const [small, large] = [10_000, 40_000].map((n) => cpuMs(() => void mask(run.repeat(n / run.length))));
      expect(large, JSON.stringify(run)).toBeLessThan(8 * (small ?? 0) + 200);
    }
  });
});
