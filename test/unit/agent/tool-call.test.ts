import { expect, test } from "vitest";
import { z } from "zod";
import { executeCall } from "../../../src/agent/turn/work.ts";
import type { Json } from "../../../src/core/json.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
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

test("ST-43: whatever a model calls a tool with, the result has a status and says in words what is wrong", async () => {
  const wrong: readonly Json[] = [
    "{not json",
    [1],
    { target: 7, sessionKey: 7, task: 7, limit: "x", message: 7, model: 7 },
  ];
  for (const { name } of [...TOOLS, { name: "open_the_door" }]) {
    for (const args of wrong) {
      const end = await executeCall({ callId: "c1", name, args }, TOOLS, context);
      const [part] = end.message.parts;
      if (part?.type !== "tool_result") throw new Error("no result");
      expect([name, args, part.isError]).toEqual([name, args, true]);
      expect(part.result).toMatchObject({ status: "error", error: expect.stringMatching(/\S{3}/) });
    }
  }
});
