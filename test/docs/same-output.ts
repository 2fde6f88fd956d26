/** What differs between two runs of one command: times, ids, ports, sizes and the width of columns. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID"],
  [/\d{4}-\d\d-\d\d[ T]\d\d[:-]\d\d(?:[:-]\d\d(?:[.-]\d+)?)?Z?/g, "TIME"],
  [/(127\.0\.0\.1|localhost):\d+/g, "ADDRESS"],
  [/\bprocess \d+/g, "process N"],
  [/\b[A-HJ-NP-Z2-9]{8}\b|\b[A-HJ-NP-Z2-9]{5}…/g, "CODE"],
  [/\b\d+(\.\d+)? ?(ms|s|sec|min|h|d|days?|hours?|minutes?|seconds?|MiB|GiB)\b/g, "AMOUNT"],
  [/"(since|\w+At|\w+Tokens)":(null|\d+)/g, '"$1":N'],
  // A busy machine takes more tries.
  [/, \d+ tries\b/g, ""],
  [/(?<=\s)(\d+|never) +(?=(\d+|never)?$)/gm, "N "],
  [/[ \t]+/g, " "],
];

/** The lines of an output in the form in which a page's text and a run's text can be compared. */
export function comparable(text: string): readonly string[] {
  const plain = VARYING.reduce((said, [pattern, word]) => said.replace(pattern, word), text);
  return plain
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Whether a run printed what a page shows; a line `…` on the page stands for any lines. */
export function isSameOutput(shown: string, printed: string): boolean {
  const wanted = comparable(shown);
  const got = comparable(printed);
  const gap = wanted.indexOf("…");
  if (gap < 0) return JSON.stringify(wanted) === JSON.stringify(got);
  const [head, tail] = [wanted.slice(0, gap), wanted.slice(gap + 1)];
  const ends = got.length >= head.length + tail.length;
  return (
    ends &&
    JSON.stringify(head) === JSON.stringify(got.slice(0, head.length)) &&
    JSON.stringify(tail) === JSON.stringify(got.slice(got.length - tail.length))
  );
}
