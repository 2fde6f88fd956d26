import type { CommandDefinition } from "../../src/commands/command.ts";
import { usage } from "../../src/commands/command.ts";
import { GROUP_TITLES } from "../../src/commands/help.ts";
import { row } from "./table.ts";

const WHO: Record<CommandDefinition["role"], string> = {
  user: "everybody admitted to the conversation",
  admin: "admins (`commands.adminAllowFrom`)",
  owner: "owners (`commands.ownerAllowFrom`)",
};

const INTRODUCTION = `# Commands

Generated from the definitions in \`src/commands/registry.ts\` by \`node docs/generate/write.ts\`.

- A command acts on the session of the conversation it is typed in and never waits behind a running turn. The commands of one session are carried out in the order they were given, before anything that was written after them.
- The same command works as text (\`/status\`, \`!status\`, on Telegram also \`/status@botname\`; where the bot must be mentioned also \`@bot status\`) and from the platform's own menu. Telegram's menu writes \`_\` for \`-\`.
- Arguments are words in order; quotes keep words together; the last one often takes the rest of the line.
- Who lacks the right is told which list names those who have it, privately, for a menu's command or in a direct conversation; a text command in a group is answered with nothing. \`commands.allowFrom\`, when set, is the only source of who may use commands at all; owners always may.
- \`/think <level>\` in front of a message holds for that message only.
- Text that is no command goes to the agent. Only the sender's own new text is read for commands: never quoted, forwarded, edited or another session's.`;

/** The page of all commands, from the registry alone (CM-1). */
export function commandsPage(commands: readonly CommandDefinition[]): string {
  const groups = Object.entries(GROUP_TITLES).flatMap(([group, title]) => {
    const own = commands.filter((command) => command.group === group);
    return own.length === 0 ? [] : [`## ${title}`, ...own.map(section)];
  });
  return `${[INTRODUCTION, ...groups].join("\n\n")}\n`;
}

function section(command: CommandDefinition): string {
  const aliases = (command.aliases ?? []).map((alias) => `\`/${alias}\``);
  const facts = [
    `\`${usage(command).replace(/^Usage: /, "")}\``,
    ...(aliases.length === 0 ? [] : [`also ${aliases.join(", ")}`]),
    `for ${WHO[command.role]}`,
  ];
  const rows = command.arguments.map((argument) =>
    row([
      argument.name,
      argument.required === true ? "yes" : "",
      [argument.description, argument.rest === true ? "takes the rest of the line" : ""]
        .filter((text) => text !== "")
        .join("; "),
      (argument.choices ?? []).map((choice) => `\`${choice}\``).join(", "),
    ]),
  );
  const table =
    rows.length === 0
      ? []
      : ["", row(["argument", "required", "what", "choices"]), row(["---", "---", "---", "---"]), ...rows];
  return [`### /${command.name}`, "", `${command.summary}.`, "", `${facts.join("; ")}.`, ...table].join("\n");
}
