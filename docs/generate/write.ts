import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { channels } from "../../adapters/index.ts";
import { COMMANDS } from "../../src/commands/registry.ts";
import { TOOLS } from "../../src/tools/registry.ts";
import { commandsPage } from "./commands-page.ts";
import { withFailures } from "./failures-table.ts";
import { guaranteePage } from "./guarantee-page.ts";
import { TOOL_EXAMPLES } from "./tool-examples.ts";
import { toolPage, toolsPage } from "./tools-page.ts";

/* Writes the reference pages. Run it after a change of a command, a tool or a guarantee. */
const page = (name: string): string => fileURLToPath(new URL(`../reference/${name}.md`, import.meta.url));
writeFileSync(page("commands"), commandsPage(COMMANDS));
writeFileSync(page("delivery-guarantee-table"), await guaranteePage(channels));
writeFileSync(page("tools"), toolsPage(TOOLS));
const trouble = fileURLToPath(new URL("../when-something-goes-wrong.md", import.meta.url));
writeFileSync(trouble, withFailures(readFileSync(trouble, "utf8")));
const folder = fileURLToPath(new URL("../reference/tools/", import.meta.url));
// A tool that is gone leaves no page.
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const tool of TOOLS) {
  const shown = TOOL_EXAMPLES.get(tool.name);
  if (shown === undefined) throw new Error(`${tool.name} has no examples in docs/generate/tool-examples.ts`);
  writeFileSync(page(`tools/${tool.name}`), toolPage(tool, shown));
}
