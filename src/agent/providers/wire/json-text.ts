const LONE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** JSON without halves of surrogate pairs, which strict servers refuse; `JSON.stringify` writes exactly those as escapes. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.includes("\\ud") || text.includes("\\uD") ? text.replace(LONE, "$1\ufffd") : text;
}
