import { expect, it } from "vitest";
import { cutMiddle } from "../../../src/core/text/cut.ts";
import { readContent } from "../../../src/sessions/file-content.ts";
import { watchLoop } from "../../support/loop-watch.ts";

const MIB = 1024 * 1024;
const e = Buffer.from([0xe9]);

it.each([
  ["ASCII", Buffer.alloc(20 * MIB, "hello world\n")],
  ["UTF-8 of three bytes", Buffer.alloc(20 * MIB, "標題內容")],
  ["Windows' Latin letters", Buffer.concat([Buffer.alloc(19 * MIB, "hello\n"), e])],
  ["UTF-16", Buffer.alloc(20 * MIB, Buffer.from("hello ", "utf16le"))],
  ["line ends", Buffer.alloc(20 * MIB, "\n")],
])("FC-402: the longest text file there may be holds up nothing: %s", async (_name, bytes) => {
  using watch = watchLoop();
  await readContent(bytes, "text/plain");
  expect(watch.longestMs()).toBeLessThan(50);
});

it("FC-202, FC-402: of a long file whole letters at both ends are read, and the count of what is left out is right", async () => {
  for (const shift of [0, 1, 2]) {
    const text = `${"x".repeat(shift)}${"標題".repeat(100_000)}`;
    const read = await readContent(Buffer.from(text), "text/plain");
    if (read.kind !== "text") throw new Error(read.kind);
    expect(read.text.isWellFormed() && /^x*[標題]+$/.test(read.text)).toBe(true);
    const inHead = read.text.slice(0, 1_000);
    expect([text.startsWith(inHead), text.endsWith(read.text.slice(-1_000))]).toEqual([true, true]);
    const cut = cutMiddle(read.text, 64 * 1024, read.skipped).text;
    const [, left = "0"] = /(\d+) bytes left out/.exec(cut) ?? [];
    const shown = Buffer.byteLength(cut.replace(/\n\[… \d+ bytes left out …\]\n/, ""));
    // A letter may be cut at the end of what is read.
    expect(Math.abs(Buffer.byteLength(text) - shown - Number(left))).toBeLessThan(4);
  }
});
