import { agentsList } from "./agents-list.ts";
import { createGoal, getGoal, updateGoal } from "./goals.ts";
import { message } from "./message.ts";
import { sessionStatus } from "./session-status.ts";
import { sessionsHistory } from "./sessions-history.ts";
import { sessionsList } from "./sessions-list.ts";
import { sessionsSearch } from "./sessions-search.ts";
import { sessionsSend } from "./sessions-send.ts";
import { sessionsSpawn } from "./sessions-spawn.ts";
import { sessionsYield } from "./sessions-yield.ts";
import { subagentsTool } from "./subagents.ts";
import type { ToolDefinition } from "./tool.ts";

/** Every tool, in the order people see them. Which of them a turn has is decided by the policy, from what each says of itself. */
export const TOOLS: readonly ToolDefinition[] = [
  sessionStatus,
  sessionsList,
  sessionsHistory,
  sessionsSearch,
  sessionsSend,
  sessionsSpawn,
  sessionsYield,
  subagentsTool,
  agentsList,
  message,
  getGoal,
  createGoal,
  updateGoal,
];
