import type { JsonObject } from "./json.ts";

/** Every tool result is JSON with `status` (ST-43). */
export type ToolResult = JsonObject & { readonly status: string };

export function toolError(error: string, hint?: string, status: "error" | "forbidden" = "error"): ToolResult {
  return hint === undefined ? { status, error } : { status, error, hint };
}
