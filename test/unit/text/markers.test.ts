import { expect, it } from "vitest";
import { escapeMarkers, MARKERS } from "../../../src/core/text/prompt-words.ts";

it.each(MARKERS)("IN-10: people cannot imitate [%s …]", (marker) => {
  expect(escapeMarkers(`hi [${marker} x] there`)).toBe(`hi \\[${marker} x] there`);
  expect(escapeMarkers(`[${marker.toUpperCase()}]`)).toBe(`\\[${marker.toUpperCase()}]`);
});

it("IN-10: space, line ends and invisible characters do not hide an imitation", () => {
  for (const text of ["[ System] x", "[\nSystem]", "[\u200bSystem]", "［System]", "[Subagent \n Task]"]) {
    expect(escapeMarkers(text)).toBe(`\\${text}`);
  }
});

it("IN-10: other brackets stay, and escaping twice changes nothing", () => {
  const text = "[x](y) [Systematic] [1] [Toolbox] [[a]]";
  expect(escapeMarkers(text)).toBe(text);
  const once = escapeMarkers("[System] [Queued #1] [[Tool Call: x]]");
  expect(once).toBe("\\[System] \\[Queued #1] [\\[Tool Call: x]]");
  expect(escapeMarkers(once)).toBe(once);
});
