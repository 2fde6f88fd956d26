import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Picture, picturePage, pictures } from "./page.ts";

const TAGS = /<[^>]*>/g;
const CODE = /<(code|pre)\b[\s\S]*?<\/\1>/g;
/** What a dialect writes for emphasis, code, quotes, links and escapes. */
const MARKS = ["*", "_", "~", "`", "|", "\\", "<", ">", "[", "]", "#"];

/** What people read of a drawing outside of code. */
function read(html: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return html
    .replace(CODE, "")
    .replace(TAGS, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name] ?? "");
}

const all = pictures();
const count = (text: string, mark: string): number => text.split(mark).length - 1;

/** Marks of the dialect that show, although the plain text of the same message has none. */
function leftOver({ platform, answer, prepared, drawn }: Picture): readonly string[] {
  return prepared.pieces.flatMap(({ plain }, index) => {
    const shown = read(drawn[index] ?? "");
    // Slack has no spoilers and shows their signs.
    const marks = platform === "slack" ? MARKS.filter((mark) => mark !== "|") : MARKS;
    return marks
      .filter((mark) => count(shown, mark) > count(plain, mark))
      .map((mark) => `${platform}, ${answer.name}, message ${index + 1}: ${mark}`);
  });
}

test("DL-7: no platform shows a mark of its dialect that is not in the answer", async () => {
  expect((await all).flatMap(leftOver)).toEqual([]);
});

test("DL-7: the page of pictures shows what the renderers make now (npm run pictures)", async () => {
  expect(await readFile(new URL("./pictures.html", import.meta.url), "utf8")).toBe(await picturePage(await all));
});
