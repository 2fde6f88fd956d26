import { activationCommand } from "./activation.ts";
import { agentsCommand } from "./agents.ts";
import { allowlistCommand } from "./allowlist.ts";
import type { CommandDefinition } from "./command.ts";
import { compactCommand } from "./compact.ts";
import { configCommand } from "./config.ts";
import { contextCommand } from "./context.ts";
import { exportCommand } from "./export.ts";
import { focusCommand, unfocusCommand } from "./focus.ts";
import { goalCommand } from "./goal.ts";
import { commandsCommand, helpCommand } from "./help.ts";
import { killCommand } from "./kill.ts";
import { model } from "./model.ts";
import { models } from "./models.ts";
import { name } from "./name.ts";
import { newSession, resetCommand } from "./new.ts";
import { pairing } from "./pairing.ts";
import { queueCommand } from "./queue.ts";
import { reasoning } from "./reasoning.ts";
import { restartCommand } from "./restart.ts";
import { send } from "./send.ts";
import { sessionCommand } from "./session.ts";
import { archiveCommand, pinCommand, unarchiveCommand } from "./session-flags.ts";
import { sessionsCommand } from "./sessions.ts";
import { status } from "./status.ts";
import { steerCommand } from "./steer.ts";
import { stop } from "./stop.ts";
import { subagents } from "./subagents.ts";
import { think } from "./think.ts";
import { toolsCommand } from "./tools.ts";
import { usageCommand } from "./usage.ts";
import { verbose } from "./verbose.ts";
import { whoami } from "./whoami.ts";
import { why } from "./why.ts";

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
