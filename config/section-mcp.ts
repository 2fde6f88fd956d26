import { z } from "zod";
import { duration, filledText, flag, name, text, toolNames } from "./section-values.ts";

/** One MCP server (ST-42): either started with `command`, or reached at `url`. */
const server = z.strictObject({
  enabled: flag.optional(),
  command: filledText.optional(),
  args: z.array(text).optional(),
  env: z.record(filledText, text).optional(),
  cwd: filledText.optional(),
  url: filledText.optional(),
  headers: z.record(filledText, text).optional(),
  /** Of one call. */
  timeout: duration.optional(),
  /** Which of its tools are taken, by the server's own names; default all. */
  tools: toolNames.optional(),
});
export type McpServerSection = z.infer<typeof server>;

export const mcp = z.strictObject({ servers: z.record(name, server).optional() });
