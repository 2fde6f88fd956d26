import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { channels } from "../../../adapters/index.ts";
import { commandsPage } from "../../../docs/generate/commands-page.ts";
import { guaranteePage } from "../../../docs/generate/guarantee-page.ts";
import { TOOL_EXAMPLES } from "../../../docs/generate/tool-examples.ts";
import { toolPage, toolsPage } from "../../../docs/generate/tools-page.ts";
import { COMMANDS } from "../../../src/commands/registry.ts";
import { TOOLS } from "../../../src/tools/registry.ts";

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), "utf8");
const remedy = "run: node docs/generate/write.ts";

it("CM-1: docs/reference/commands.md is what the registry says now", () => {
  expect(page("commands"), remedy).toBe(commandsPage(COMMANDS));
  for (const { name } of COMMANDS) expect(page("commands")).toContain(`### /${name}\n`);
});

it("TP-5: docs/reference/tools.md and a page per tool are what the registry says now, with examples and errors", () => {
  expect(page("tools"), remedy).toBe(toolsPage(TOOLS));
  const pages = readdirSync(new URL("../../../docs/reference/tools/", import.meta.url));
  expect(pages.toSorted(), remedy).toEqual(TOOLS.map(({ name }) => `${name}.md`).toSorted());
  for (const tool of TOOLS) {
    const shown = TOOL_EXAMPLES.get(tool.name);
    if (shown === undefined) throw new Error(`${tool.name} has no examples`);
    expect(page(`tools/${tool.name}`), remedy).toBe(toolPage(tool, shown));
  }
});

it("DL-15: docs/reference/delivery-guarantee-table.md is what the adapters declare now", async () => {
  expect(page("delivery-guarantee-table"), remedy).toBe(await guaranteePage(channels));
});
