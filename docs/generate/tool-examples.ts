import { createGoal, getGoal, updateGoal } from "./examples/goals.ts";
import { sessionStatus, sessionsHistory, sessionsList, sessionsSearch } from "./examples/reading.ts";
import { message, sessionsSend } from "./examples/sending.ts";
import { agentsList, sessionsSpawn, sessionsYield, subagents } from "./examples/subagents.ts";
import type { ToolExamples } from "./tool-example.ts";

/** Examples and errors by tool; a test runs them, and fails for a tool without. */
export const TOOL_EXAMPLES: ReadonlyMap<string, ToolExamples> = new Map([
  ["session_status", sessionStatus],
  ["sessions_list", sessionsList],
  ["sessions_history", sessionsHistory],
  ["sessions_search", sessionsSearch],
  ["sessions_send", sessionsSend],
  ["sessions_spawn", sessionsSpawn],
  ["sessions_yield", sessionsYield],
  ["subagents", subagents],
  ["agents_list", agentsList],
  ["message", message],
  ["get_goal", getGoal],
  ["create_goal", createGoal],
  ["update_goal", updateGoal],
]);
