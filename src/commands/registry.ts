import type { NativeCommand } from "../channel/capabilities.ts";
import { agentsCommand } from "./agents/agents.ts";
import { focusCommand, unfocusCommand } from "./agents/focus.ts";
import { sessionCommand } from "./agents/session.ts";
import { killCommand, steerCommand, subagents } from "./agents/subagents.ts";
import type { CommandDefinition } from "./command.ts";
import { commandsCommand, helpCommand } from "./help.ts";
import { configCommand } from "./operator/config.ts";
import { restartCommand } from "./operator/restart.ts";
import { sessionsCommand } from "./operator/sessions.ts";
import { why } from "./operator/why.ts";
import { activationCommand } from "./people/activation.ts";
import { allowlistCommand } from "./people/allowlist.ts";
import { pairing } from "./people/pairing.ts";
import { whoami } from "./people/whoami.ts";
import { compactCommand } from "./session/compact.ts";
import { contextCommand } from "./session/context.ts";
import { exportCommand } from "./session/export.ts";
import { goalCommand } from "./session/goal.ts";
import { model, models } from "./session/model.ts";
import { name } from "./session/name.ts";
import { newSession, resetCommand } from "./session/new.ts";
import { queueCommand } from "./session/queue.ts";
import { send } from "./session/send.ts";
import {
  archiveCommand,
  pinCommand,
  reasoning,
  think,
  unarchiveCommand,
  usageCommand,
  verbose,
} from "./session/session-flags.ts";
import { status } from "./session/status.ts";
import { stop } from "./session/stop.ts";
import { toolsCommand } from "./session/tools.ts";

/** Every command, in the order people see them (CM-1). Adding one is a file and a line here. */
export const COMMANDS: readonly CommandDefinition[] = [
  helpCommand(() => COMMANDS),
  commandsCommand(() => COMMANDS),
  stop,
  whoami,
  status,
  newSession,
  resetCommand,
  name,
  toolsCommand,
  contextCommand,
  send,
  compactCommand,
  exportCommand,
  goalCommand,
  model,
  models,
  think,
  reasoning,
  queueCommand,
  verbose,
  usageCommand,
  pinCommand,
  archiveCommand,
  unarchiveCommand,
  subagents,
  agentsCommand,
  focusCommand,
  unfocusCommand,
  sessionCommand,
  steerCommand,
  killCommand,
  sessionsCommand,
  activationCommand,
  pairing,
  allowlistCommand,
  configCommand,
  restartCommand,
  why,
];

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

/** Whether a command as it was given starts model work, also by words behind it that the agent reads next (FC-403). */
export function workStarters(commands: readonly CommandDefinition[]): (name: string, args: string) => boolean {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return (name, args) => {
    const command = byName.get(name);
    if (command === undefined) return false;
    return (command.arguments.length === 0 && args !== "") || command.startsWork?.(args) === true;
  };
}

/** Every name and alias → the command's own name. */
export function commandNames(commands: readonly CommandDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    commands.flatMap((command) =>
      [command.name, ...(command.aliases ?? [])].map((name) => [name, command.name] as const),
    ),
  );
}
