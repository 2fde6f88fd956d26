import type { NativeCommand } from "../channel/capabilities.ts";
import type { CommandDefinition } from "./command.ts";

/** What the platforms' own menus show (CM-2), in the registry's order. */
export function nativeCommands(commands: readonly CommandDefinition[]): readonly NativeCommand[] {
  return commands
    .filter((command) => command.textOnly !== true)
    .map((command) => ({
      name: command.name,
      ...(command.role === "user" ? {} : { restricted: true as const }),
      description: command.summary,
      arguments: command.arguments.map((argument) => ({
        name: argument.name,
        description: argument.description,
        required: argument.required === true,
        choices: argument.choices ?? [],
        ...(argument.suggests === undefined ? {} : { suggests: argument.suggests }),
      })),
    }));
}

/** Every name and alias → the command's own name. */
export function commandNames(commands: readonly CommandDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    commands.flatMap((command) =>
      [command.name, ...(command.aliases ?? [])].map((name) => [name, command.name] as const),
    ),
  );
}
