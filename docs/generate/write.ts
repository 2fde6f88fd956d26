import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { channels } from "../../adapters/index.ts";
import { COMMANDS } from "../../src/commands/registry.ts";
import { tools } from "../../src/tools/registry.ts";
import { commandsPage } from "./commands-page.ts";
import { guaranteePage } from "./guarantee-page.ts";
import { toolsPage } from "./tools-page.ts";

/* Writes the reference pages. Run it after a change of a command, a tool or a guarantee. */
const page = (name: string): string => fileURLToPath(new URL(`../reference/${name}.md`, import.meta.url));
writeFileSync(page("commands"), commandsPage(COMMANDS));
writeFileSync(page("delivery-guarantee-table"), guaranteePage(channels));
writeFileSync(page("tools"), toolsPage(tools));
