import { expect, test } from "vitest";
import { z } from "zod";
import { executeCall } from "../../../src/agent/tool-call.ts";
import type { ToolContext, ToolDefinition } from "../../../src/tools/tool.ts";
import { silentLog } from "../../support/test-store.ts";

const context = { log: silentLog, signal: new AbortController().signal } as unknown as ToolContext;

function tool(execute: (text: string) => unknown): ToolDefinition {
  return {
    name: "probe",
    input: z.object({ text: z.string() }),
    execute: async ({ text }: { text: string }) => ({ result: { status: "ok", value: execute(text) } }),
  } as unknown as ToolDefinition;
}

async function resultOf(execute: (text: string) => unknown): Promise<string> {
  const call = { callId: "c1", name: "probe", args: { text: "x" } };
  const { message } = await executeCall(call, [tool(execute)], context);
  const [part] = message.parts;
  return JSON.stringify(part?.type === "tool_result" ? part.result : null);
}

test("TN-17: a result of more than 32 KiB keeps head and tail and says that it was cut", async () => {
  for (const letter of ["x", "ü", "\u{1f600}", '"', "\n"]) {
    const stored = await resultOf(() => `HEAD${letter.repeat(400_000)}TAIL`);
    const { truncated, result } = JSON.parse(stored) as { truncated: boolean; result: string };
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(33 * 1024);
    expect(result).toContain("HEAD");
    expect(result).toContain("TAIL");
    expect(result.isWellFormed()).toBe(true);
  }
});

test("TN-7: a tool that breaks gives a result without its error, stack or paths", async () => {
  const stored = await resultOf(() => {
    throw new Error("connect postgres://user:pass@db failed at /home/me");
  });
  expect(stored).toContain("probe failed for an internal reason");
  expect(stored).not.toMatch(/postgres|pass|home|Error/);
});
