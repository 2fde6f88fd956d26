import { agentsCommand } from "./agents/agents.ts";
import { focusCommand, unfocusCommand } from "./agents/focus.ts";
import { killCommand } from "./agents/kill.ts";
import { sessionCommand } from "./agents/session.ts";
import { steerCommand } from "./agents/steer.ts";
import { subagents } from "./agents/subagents.ts";
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
import { model } from "./session/model.ts";
import { models } from "./session/models.ts";
import { name } from "./session/name.ts";
import { newSession, resetCommand } from "./session/new.ts";
import { queueCommand } from "./session/queue.ts";
import { reasoning } from "./session/reasoning.ts";
import { send } from "./session/send.ts";
import { archiveCommand, pinCommand, unarchiveCommand } from "./session/session-flags.ts";
import { status } from "./session/status.ts";
import { stop } from "./session/stop.ts";
import { think } from "./session/think.ts";
import { toolsCommand } from "./session/tools.ts";
import { usageCommand } from "./session/usage.ts";
import { verbose } from "./session/verbose.ts";

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
