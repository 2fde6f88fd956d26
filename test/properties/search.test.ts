import fc from "fast-check";
import { expect, it } from "vitest";
import { matchText, parseSearchQuery, scoreText, wordsOf } from "../../src/core/text/search-query.ts";

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      "harbour",
      "Harbours",
      "a",
      "é",
      "東",
      "京都",
      "_",
      "-",
      " ",
      " ",
      "\n",
      '"',
      "*",
      "ß",
      "½",
      "٣",
      "한국",
      "์",
    ),
    fc.string({ unit: "grapheme", maxLength: 3 }),
  ),
  { maxLength: 25 },
);

it("ST-11: words hold nothing that an index would split, and stand where they say, in any text", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      let end = 0;
      for (const word of wordsOf(text)) {
        expect(word.word).toMatch(/^[\p{L}\p{N}\p{M}\ufffd]+$/u);
        expect(word.start).toBeGreaterThanOrEqual(end);
        end = word.end;
      }
    }),
    { numRuns: 1_000 },
  );
});

it("ST-11: a text's own words find it, in whatever order, and the quick score is the exact one", () => {
  fc.assert(
    fc.property(pieces, pieces, (parts, more) => {
      const text = parts.join("");
      const written = wordsOf(text).map(({ start, end }) => text.slice(start, end));
      const own = parseSearchQuery(written.toReversed().join(" "));
      if (own.length > 0) expect(matchText(text, own)).not.toBeNull();
      const terms = parseSearchQuery(more.join(" "));
      if (terms.length > 0) expect(scoreText(text, terms)).toBe(matchText(text, terms)?.score ?? null);
    }),
    { numRuns: 1_000 },
  );
});

it("ST-11: composed and decomposed letters are the same words", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      const folded = (form: string) => wordsOf(text.normalize(form)).map(({ word }) => word);
      expect(folded("NFD")).toEqual(folded("NFC"));
    }),
    { numRuns: 1_000 },
  );
});
