import type { CommandDefinition } from "./command.ts";
import { commandsCommand, helpCommand } from "./help.ts";
import { newSession, resetCommand } from "./new.ts";
import { stop } from "./stop.ts";

/** Every command, in the order people see them (CM-1). Adding one is a file and a line here. */
export const COMMANDS: readonly CommandDefinition[] = [
  helpCommand(() => COMMANDS),
  commandsCommand(() => COMMANDS),
  stop,
  newSession,
  resetCommand,
];
