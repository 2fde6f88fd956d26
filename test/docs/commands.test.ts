import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { closeScenesAfterEach } from "../support/program-scene.ts";
import { allPages, commandsOf, root, type Shown } from "./pages.ts";
import { isSameOutput } from "./same-output.ts";
import { startDocsScene } from "./scene.ts";
import { NOT_RUN, SHOWN_COMMANDS, type ShownCommand } from "./shown-commands.ts";

closeScenesAfterEach();
/** `WRITE_DOCS=1` writes into the pages what the commands print now, in place of what differs. */
const isWriting = process.env.WRITE_DOCS === "1";
const CODE = "UC5ARQSE";

const pages = allPages();
const placeOf = ({ page, command }: Pick<Shown, "page" | "command">): string => `${page}: ${command}`;

/** Each entry of the table with the place on its page: the nth entry of a command is its nth place there. */
function pairs(): readonly { readonly entry: ShownCommand; readonly shown: Shown }[] {
  const left = pages.flatMap(commandsOf);
  return SHOWN_COMMANDS.map((entry) => {
    const at = left.findIndex((shown) => placeOf(shown) === placeOf(entry));
    const [shown] = at < 0 ? [] : left.splice(at, 1);
    if (shown === undefined) throw new Error(`no page shows ${placeOf(entry)}`);
    return { entry, shown };
  });
}

it("style: every command a page shows is run by the table, or is listed with the reason why it cannot be", () => {
  const inTable = new Set(SHOWN_COMMANDS.map(placeOf));
  const known = (shown: Shown): boolean =>
    inTable.has(placeOf(shown)) || NOT_RUN.some(({ command }) => command.test(shown.command));
  const all = pages.flatMap(commandsOf);
  expect(all.filter((shown) => !known(shown)).map(placeOf)).toEqual([]);
  expect(all.filter((shown) => SHOWN_COMMANDS.some((entry) => placeOf(entry) === placeOf(shown)))).toHaveLength(
    SHOWN_COMMANDS.length,
  );
  expect(NOT_RUN.filter(({ command }) => !all.some((shown) => command.test(shown.command)))).toEqual([]);
});

it("style: every command on the pages prints what its page shows", { timeout: 300_000 }, async () => {
  const scene = await startDocsScene();
  const wrong: object[] = [];
  const toWrite: { shown: Shown; printed: string }[] = [];
  for (const { entry, shown } of pairs()) {
    await entry.before?.(scene);
    const code = entry.code === undefined ? CODE : await scene.asks(entry.code);
    const { code: exit, printed } = await scene.run(entry.command.replace(CODE, code));
    const wanted = shown.output.join("\n");
    const isSame = shown.output.length === 0 || isSameOutput(wanted, printed);
    if (exit !== (entry.exit ?? 0)) wrong.push({ at: placeOf(entry), exit, printed });
    else if (!isSame && isWriting) toWrite.push({ shown, printed: printed.replaceAll(/\b[A-HJ-NP-Z2-9]{8}\b/g, CODE) });
    else if (!isSame) wrong.push({ at: `${placeOf(entry)} (WRITE_DOCS=1 writes it anew)`, wanted, printed });
  }
  write(toWrite);
  expect(wrong).toEqual([]);
});

/** From the last place of a page to its first, so that the line numbers before it stay right. */
function write(places: readonly { readonly shown: Shown; readonly printed: string }[]): void {
  for (const { shown, printed } of [...places].sort((a, b) => b.shown.from - a.shown.from)) {
    const file = join(root, shown.page);
    const lines = readFileSync(file, "utf8").split("\n");
    const output = printed.split("\n").map((line) => `${shown.indent}${line}`.trimEnd());
    lines.splice(shown.from, shown.output.length, ...output);
    writeFileSync(file, lines.join("\n"));
  }
}
