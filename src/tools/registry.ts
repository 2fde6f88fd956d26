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
import { subagents } from "./subagents.ts";
import type { ToolDefinition } from "./tool.ts";

/** Every tool. A new one is a file and a line here and in `names.ts`; which of them a turn has is decided by the policy. */
export const tools: readonly ToolDefinition[] = [
  sessionStatus,
  sessionsList,
  sessionsHistory,
  sessionsSearch,
  sessionsSend,
  sessionsSpawn,
  sessionsYield,
  subagents,
  agentsList,
  message,
  getGoal,
  createGoal,
  updateGoal,
];
