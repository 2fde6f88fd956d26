import type { ToolDefinition } from "./tool.ts";

/** Every tool. A new one is a file and a line here and in `names.ts`; which of them a turn has is decided by the policy. */
export const tools: readonly ToolDefinition[] = [];
