/**
 * The names of all tools, in the order people see them (TP-2). Apart from the tools themselves, so that a configuration is
 * checked without loading them.
 */
export const TOOL_NAMES: readonly string[] = [
  "session_status",
  "sessions_list",
  "sessions_history",
  "sessions_search",
  "sessions_send",
  "sessions_spawn",
  "sessions_yield",
  "subagents",
  "agents_list",
  "message",
  "get_goal",
  "create_goal",
  "update_goal",
];
