import { z } from "zod";
import { roleAtLeast } from "../core/session/rights.ts";
import { helpTexts } from "../core/texts/commands/frame.ts";
import { type CommandDefinition, type CommandGroup, defineCommand, usage } from "./command.ts";

/** The groups in the order people see them. */
export const GROUP_TITLES: Record<CommandGroup, string> = helpTexts.groups;
const PER_PAGE = 12;

/** `/help`: what there is for this sender, by group; `/help <command>`: how one is used. Derived from the registry (CM-1). */
export function helpCommand(all: () => readonly CommandDefinition[]): CommandDefinition {
  return defineCommand({
    name: "help",
    // What Telegram sends when a person first opens a bot.
    aliases: ["start"],
    group: "conversation",
    summary: helpTexts.summary,
    arguments: [{ name: "command", description: helpTexts.command }],
    input: z.object({ command: z.string().optional() }),
    role: "user",
    execute: async ({ command }, { rights }) => {
      const usable = all().filter((known) => roleAtLeast(rights.role, known.role));
      if (command === undefined) return { text: overview(usable), private: true };
      const wanted = command.replace(/^\//, "");
      const found = usable.find((known) => known.name === wanted || known.aliases?.includes(wanted));
      return { text: found === undefined ? helpTexts.notFound(wanted) : detail(found), private: true };
    },
  });
}

/** `/commands [page]`: every command with its summary, a page at a time. */
export function commandsCommand(all: () => readonly CommandDefinition[]): CommandDefinition {
  return defineCommand({
    name: "commands",
    group: "conversation",
    summary: helpTexts.commandsSummary,
    arguments: [{ name: "page", description: helpTexts.page }],
    input: z.object({ page: z.coerce.number().int().min(1).default(1) }),
    role: "user",
    execute: async ({ page }, { rights }) => {
      const usable = all().filter((known) => roleAtLeast(rights.role, known.role));
      const pages = Math.ceil(usable.length / PER_PAGE);
      const shown = usable.slice((page - 1) * PER_PAGE, page * PER_PAGE);
      if (shown.length === 0) return { text: helpTexts.pages(pages), private: true };
      return { text: [...shown.map(line), "", helpTexts.pageOf(page, pages)].join("\n"), private: true };
    },
  });
}

function overview(commands: readonly CommandDefinition[]): string {
  const groups = Object.entries(GROUP_TITLES).flatMap(([group, title]) => {
    const own = commands.filter((command) => command.group === group);
    if (own.length === 0) return [];
    // One message on every platform (FC-339): only what everybody needs has its summary.
    const lines = group === "conversation" ? own.map(line) : [own.map(({ name }) => `\`/${name}\``).join(", ")];
    return [`**${title}**\n${lines.join("\n")}`];
  });
  return [helpTexts.intro, ...groups, helpTexts.more].join("\n\n");
}

function line(command: CommandDefinition): string {
  return `- \`/${command.name}\` ${command.summary}`;
}

function detail(command: CommandDefinition): string {
  const args = command.arguments.map((argument) => {
    const choices = argument.choices === undefined ? "" : ` (${argument.choices.join(", ")})`;
    return `- ${argument.name}: ${argument.description}${choices}`;
  });
  const aliases = (command.aliases ?? []).map((alias) => `/${alias}`);
  const also = aliases.length === 0 ? [] : [helpTexts.also(aliases)];
  return [`${command.summary}.`, `\`${usage(command)}\``, ...args, ...also].join("\n");
}
